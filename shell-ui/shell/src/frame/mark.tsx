/** Tenon's sign: a tongue in its mortise. */
export function Mark({ size = 20 }: { size?: number }) {
  return (
    <svg className="shell-mark" width={size} height={size} viewBox="0 0 20 20" aria-hidden>
      <path d="M2 4.5A2.5 2.5 0 0 1 4.5 2h11A2.5 2.5 0 0 1 18 4.5V9h-4.5V6.5h-7V9H2Z" />
      <path
        d="M8 8h4v3h6v4.5a2.5 2.5 0 0 1-2.500 2.500h-11A2.500 2.500 0 0 1 2 15.500V11h6Z"
        opacity=".55"
      />
    </svg>
  );
}
