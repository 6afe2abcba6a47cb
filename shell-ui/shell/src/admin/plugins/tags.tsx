/** Names in one line, as code. */
export function Tags({ names }: { names: readonly string[] }) {
  return (
    <ul className="shell-tags">
      {names.map((name) => (
        <li key={name}>
          <code>{name}</code>
        </li>
      ))}
    </ul>
  );
}
