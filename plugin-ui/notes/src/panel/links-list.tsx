import { ArrowUpRight, FileText, Link2Off } from "lucide-react";
import { Link } from "react-router";
import { useNotesLocation } from "../app/location-context.tsx";
import { titleOf } from "../app/use-note-actions.ts";
import type { Note } from "../model/types.ts";

/** Notes that link here, and where this one leads. */
export function LinksList({ note }: { note: Note | undefined }) {
  const { href } = useNotesLocation();
  const backlinks = note?.backlinks ?? [];
  const links = note?.links ?? [];
  return (
    <div className="notes-links">
      <h2>Linked from</h2>
      {backlinks.length === 0 ? (
        <p className="notes-panel-hint">
          No note links here yet. Type [[{note ? titleOf(note) : "its title"}]] in another note.
        </p>
      ) : (
        <ul>
          {backlinks.map((link) => (
            <li key={link.id}>
              <Link to={href({ note: link.id })} className="notes-link-card">
                <span className="notes-link-title">
                  <FileText size={14} />
                  <span className="t-ellipsis">{titleOf(link)}</span>
                </span>
                {link.excerpt && <span className="notes-link-excerpt">{link.excerpt}</span>}
              </Link>
            </li>
          ))}
        </ul>
      )}
      {note?.backlinks_more && <p className="notes-panel-hint">And more.</p>}
      {links.length > 0 && (
        <>
          <h2>Links in this note</h2>
          <ul>
            {links.map((link) => (
              <li key={`${link.kind} ${link.target}`}>
                {link.note ? (
                  <Link to={href({ note: link.note.id })} className="notes-link-line">
                    <ArrowUpRight size={14} />
                    <span className="t-ellipsis">{titleOf(link.note)}</span>
                    {link.note.deleted && <span className="t-muted">in the trash</span>}
                  </Link>
                ) : (
                  <span className="notes-link-line t-muted" title="Note does not exist yet">
                    <Link2Off size={14} />
                    <span className="t-ellipsis">{link.target}</span>
                  </span>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
