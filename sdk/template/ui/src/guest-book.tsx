import { useEffect, useState } from "react";

interface Entry {
  id: string;
  text: string;
  created: string;
}

export function GuestBook() {
  const [entries, setEntries] = useState<readonly Entry[]>([]);
  useEffect(() => {
    const abort = new AbortController();
    fetch("/api/my-plugin/guests", { signal: abort.signal })
      .then((response) => response.json() as Promise<{ items: Entry[] }>)
      .then(({ items }) => setEntries(items))
      .catch((error: unknown) => {
        if (!abort.signal.aborted) console.error(error);
      });
    return () => abort.abort();
  }, []);
  return (
    <ul>
      {entries.map((entry) => (
        <li key={entry.id}>
          <time dateTime={entry.created}>{new Date(entry.created).toLocaleString()}</time>{" "}
          {entry.text}
        </li>
      ))}
    </ul>
  );
}
