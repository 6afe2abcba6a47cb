import { useQuery } from "@tanstack/react-query";
import {
  Badge,
  ErrorState,
  Field,
  Input,
  Section,
  Select,
  SkeletonRows,
  TableCard,
} from "@tenon/ui";
import { useState } from "react";
import { readUsers, usersKey } from "../console-api.ts";
import { actions, readAccess, type ExplainedRule } from "./inspector-api.ts";

/** Shows what a user may do with a table or a record, and which part of a rule refuses. */
export function AccessSection({ plugin, tables }: { plugin: string; tables: readonly string[] }) {
  const [chosen, setChosen] = useState<string | null>(null);
  const [user, setUser] = useState("");
  const [record, setRecord] = useState("");
  const table = chosen ?? tables[0] ?? "";
  const { data: users } = useQuery({
    queryKey: usersKey,
    queryFn: ({ signal }) => readUsers(signal),
  });
  return (
    <Section title="Access" description="What a user may do by the rules of a table, and why not.">
      <div className="shell-inspector-access">
        <Field label="User">
          <Select value={user} onChange={(event) => setUser(event.target.value)}>
            <option value="">Not signed in</option>
            {users?.map(({ id, login, disabled }) => (
              <option key={id} value={id} disabled={disabled}>
                {login}
              </option>
            ))}
          </Select>
        </Field>
        <Field label="Table of the rules">
          <Select value={table} onChange={(event) => setChosen(event.target.value)}>
            {tables.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        </Field>
        <Field label="Record ID (optional)">
          <Input
            value={record}
            spellCheck={false}
            onChange={(event) => setRecord(event.target.value)}
          />
        </Field>
      </div>
      <Rules plugin={plugin} table={table} user={user} record={record.trim()} />
    </Section>
  );
}

interface RulesProps {
  plugin: string;
  table: string;
  user: string;
  record: string;
}

function Rules({ plugin, table, user, record }: RulesProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ["core", "inspector", plugin, "access", table, user, record],
    queryFn: ({ signal }) => readAccess(plugin, table, user, record, signal),
    retry: false,
  });
  if (error)
    return (
      <ErrorState
        error={error}
        title={`Could not evaluate the rules of ${table}`}
        onRetry={() => void refetch()}
      />
    );
  if (!data) return <SkeletonRows />;
  return (
    <TableCard
      label="Access"
      columns={["Action", "Allowed", "Rule", "Refused by"]}
      className="shell-inspector-rules"
    >
      {actions.map((action) => {
        const rule = data.actions[action];
        return (
          <tr key={action}>
            <th scope="row">{action}</th>
            <td>
              <AccessBadge allowed={rule.allowed} />
            </td>
            <td>{rule.rule === null ? "none" : <code>{rule.rule}</code>}</td>
            <td>
              <Refusal rule={rule} />
            </td>
          </tr>
        );
      })}
    </TableCard>
  );
}

function AccessBadge({ allowed }: { allowed: boolean | null }) {
  if (allowed === null) return <Badge>depends on the record</Badge>;
  return allowed ? <Badge tone="success">yes</Badge> : <Badge tone="danger">no</Badge>;
}

function Refusal({ rule }: { rule: ExplainedRule }) {
  if (rule.allowed !== false) return "–";
  if (rule.rule === null) return "There is no rule, so no user may.";
  const refusing = rule.parts.filter((part) => part.holds === false);
  if (refusing.length === 0) return <code>{rule.rule}</code>;
  return (
    <ul>
      {refusing.map(({ text }) => (
        <li key={text}>
          <code>{text}</code>
        </li>
      ))}
    </ul>
  );
}
