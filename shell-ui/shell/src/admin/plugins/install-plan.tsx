import { Badge, Button, Checkbox, Notice } from "@tenon/ui";
import { ArrowRight, CircleAlert } from "lucide-react";
import { useId, type ReactNode } from "react";
import type { PackagePlan } from "./packages-api.ts";
import { Tags } from "./tags.tsx";

const megabyte = 1_000_000;

/** "12 KB", "1.4 MB". */
export function size(bytes: number): string {
  const [value, unit] = bytes < megabyte ? [bytes / 1_000, "KB"] : [bytes / megabyte, "MB"];
  return `${value.toLocaleString(undefined, { maximumFractionDigits: value < 10 ? 1 : 0 })} ${unit}`;
}

function Line({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** What the package is and where it comes from. */
export function PlanFacts({ plan }: { plan: PackagePlan }) {
  const { from, to, signer, packed, unpacked, requires } = plan;
  return (
    <dl className="shell-plan-facts">
      <Line name="Version">
        {from && from !== to && (
          <>
            {from} <ArrowRight size={14} aria-label="to" />{" "}
          </>
        )}
        <strong>{to}</strong>
        {from === to && <span className="t-muted">already installed</span>}
      </Line>
      <Line name="Signed by">
        {signer.key ? (
          <>
            {signer.name && <span>{signer.name}</span>}
            <code>{signer.key}</code>
            {signer.trust === "unknown" && <Badge tone="warning">Not trusted</Badge>}
            {signer.trust === "revoked" && <Badge tone="danger">Revoked</Badge>}
            {signer.trust === "trusted" && <Badge tone="success">Trusted</Badge>}
          </>
        ) : (
          "Not signed"
        )}
      </Line>
      {requires.length > 0 && (
        <Line name="Requires">
          {requires.map(({ id, range }) => (
            <code key={id}>
              {id} {range}
            </code>
          ))}
        </Line>
      )}
      <Line name="Size">
        {size(packed)} <span className="t-muted">{size(unpacked)} unpacked</span>
      </Line>
    </dl>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className="shell-plan-part" aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      {children}
    </section>
  );
}

/** Lists the permissions of the plugin; marks new and removed ones. */
export function PlanPermissions({ plan }: { plan: PackagePlan }) {
  const { permissions, new_permissions: fresh, gone_permissions: gone } = plan;
  return (
    <Part title="Permissions">
      {permissions.length + gone.length === 0 ? (
        <p className="t-muted">None</p>
      ) : (
        <ul className="shell-plan-list">
          {permissions.map(({ id, title, roles }) => (
            <li key={id}>
              <div>
                <span>{title}</span>
                {fresh.includes(id) && <Badge tone="warning">New</Badge>}
              </div>
              <div className="t-muted">
                <code>{id}</code> · {roles.length > 0 ? roles.join(", ") : "no role by default"}
              </div>
            </li>
          ))}
          {gone.map((id) => (
            <li key={id}>
              <div>
                <code>{id}</code>
                <Badge>Removed</Badge>
              </div>
            </li>
          ))}
        </ul>
      )}
    </Part>
  );
}

/** Lists the servers that it may send requests to; most plugins have none. */
export function PlanOutgoing({ plan: { outgoing: servers } }: { plan: PackagePlan }) {
  if (servers.length === 0) return null;
  return (
    <Part title="Requests to other servers">
      <p className="t-muted">
        The plugin may send requests, and with them data, to these servers. * means any.
      </p>
      <Tags names={servers} />
    </Part>
  );
}

/** Lists the short paths that it asks for; most plugins have none. */
export function PlanPublicPaths({ plan: { public_paths: paths } }: { plan: PackagePlan }) {
  if (paths.length === 0) return null;
  return (
    <Part title="Public paths">
      <p className="t-muted">
        Everyone who reaches this server can use these paths, without signing in.
      </p>
      <ul className="shell-plan-list">
        {paths.map(({ path, title }) => (
          <li key={path}>
            <div>{title}</div>
            <div className="t-muted">
              <code>{path}</code>
            </div>
          </li>
        ))}
      </ul>
    </Part>
  );
}

/** Lists the headers about the origin that its responses may have; most plugins have none. */
export function PlanResponseHeaders({ plan: { response_headers: names } }: { plan: PackagePlan }) {
  if (names.length === 0) return null;
  return (
    <Part title="Response headers">
      <p className="t-muted">
        The plugin may set these headers. They control what other sites may do with its responses.
      </p>
      <Tags names={names} />
    </Part>
  );
}

interface PlanDataProps {
  plan: PackagePlan;
  /** Its data come from an export, of which the plan knows nothing. */
  isTakenBack?: boolean;
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Shows what the upgrade does to the tables. */
export function PlanData({ plan: { data, change }, isTakenBack }: PlanDataProps) {
  if (!data) return null;
  return (
    <Part title="Data">
      {isTakenBack ? (
        <p className="t-muted">The exported data is migrated to this version.</p>
      ) : data.steps.length === 0 ? (
        <p className="t-muted">
          {change === "install" ? "No tables to create." : "No changes to the data."}
        </p>
      ) : (
        <>
          <ul className="shell-plan-list">
            {data.steps.map(({ text }, at) => (
              <li key={at}>{capitalized(text)}</li>
            ))}
          </ul>
          {data.blocked_by ? (
            <details className="t-muted">
              <summary>The plugin pauses for a moment during the upgrade.</summary>
              {capitalized(data.blocked_by)}.
            </details>
          ) : (
            data.phased && <p className="t-muted">The plugin stays available during the upgrade.</p>
          )}
        </>
      )}
    </Part>
  );
}

/** Lists why the package is refused, and what to do. */
export function PlanRefusals({ plan, onTrust }: { plan: PackagePlan; onTrust(): void }) {
  const { refusals, signer, data } = plan;
  return refusals.map(({ code, message, path }) =>
    code === "plugins.signer_unknown" ? (
      <Notice
        key={code}
        tone="warning"
        icon={CircleAlert}
        action={
          <Button size="small" onClick={onTrust}>
            Trust this key…
          </Button>
        }
      >
        <strong>Unknown publisher</strong>
        <div>
          This package is signed with the key <code>{signer.key}</code>, which is not trusted here.
          Get the public key from its author to trust it.
        </div>
      </Notice>
    ) : (
      <Notice key={`${code} ${message}`} tone="danger" icon={CircleAlert}>
        {code === "data.migration_refused" && data ? (
          <>
            <strong>The data cannot be migrated to this version</strong>
            {data.refusals.map(({ reason }) => (
              <div key={reason}>{reason}</div>
            ))}
          </>
        ) : (
          <>
            {message}
            {path && (
              <div>
                <code>{path}</code>
              </div>
            )}
          </>
        )}
      </Notice>
    ),
  );
}

interface PlanConsentsProps {
  plan: PackagePlan;
  given: ReadonlySet<string>;
  onChange(given: ReadonlySet<string>): void;
}

/** What has to be agreed to, one by one. */
export function PlanConsents({ plan: { consents }, given, onChange }: PlanConsentsProps) {
  if (consents.length === 0) return null;
  return (
    <fieldset className="shell-consents">
      <legend>Confirm to continue</legend>
      {consents.map(({ code, message }) => (
        <Checkbox
          key={code}
          checked={given.has(code)}
          onChange={({ target }) => {
            const next = new Set(given);
            if (target.checked) next.add(code);
            else next.delete(code);
            onChange(next);
          }}
        >
          {message}
        </Checkbox>
      ))}
    </fieldset>
  );
}
