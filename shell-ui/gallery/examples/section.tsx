import { Avatar, Button, Card, RelativeTime, Section, VisuallyHidden } from "@tenon/ui";

export default function Example() {
  return (
    <Section
      title="Sessions"
      description="Browsers that are signed in to your account."
      action={<Button size="small">Sign out others</Button>}
    >
      <Card>
        <ul className="t-rows">
          {["Ada Lovelace", "Grace Hopper"].map((name) => (
            <li key={name} className="t-row">
              <Avatar name={name} />
              <div className="t-row-main">
                <div>{name}</div>
                <div className="t-muted">
                  <VisuallyHidden>Last seen </VisuallyHidden>
                  <RelativeTime value={new Date(Date.now() - 3 * 3_600_000).toISOString()} />
                </div>
              </div>
            </li>
          ))}
        </ul>
      </Card>
    </Section>
  );
}
