import "../styles/list-pages.css";
import { useStore, useUser } from "@tenon/host";
import { Avatar, Badge, Button, Card, Page, Section, SegmentedControl } from "@tenon/ui";
import { Monitor, Moon, Sun } from "lucide-react";
import { useState } from "react";
import { SlotView } from "../contributions/extensions.tsx";
import { QueryScope } from "../data/query-scope.tsx";
import { chooseTheme, theme } from "../theme.ts";
import { PasswordDialog } from "./password-dialog.tsx";
import { SessionList } from "./session-list.tsx";

export default function AccountPage() {
  const user = useUser();
  const [changing, setChanging] = useState(false);
  const chosen = useStore(theme);
  return (
    <Page title="Account" width="reading">
      <Section title="Profile">
        <Card className="t-row">
          <Avatar name={user.name} />
          <div className="t-row-main">
            <div className="t-ellipsis">{user.name}</div>
            <div className="t-muted t-ellipsis">{user.login}</div>
          </div>
          <Badge>{user.role === "admin" ? "Admin" : "Member"}</Badge>
        </Card>
      </Section>
      <Section title="Appearance" description="Saved in this browser only.">
        <div>
          <SegmentedControl
            label="Theme"
            value={chosen}
            onChange={chooseTheme}
            options={[
              { value: "light", label: "Light", icon: Sun },
              { value: "dark", label: "Dark", icon: Moon },
              { value: "system", label: "System", icon: Monitor },
            ]}
          />
        </div>
      </Section>
      <SlotView name="account.panels" />
      <Section
        title="Password"
        action={<Button onClick={() => setChanging(true)}>Change password</Button>}
        description="Changing your password signs you out in all other browsers."
      />
      <QueryScope>
        <Section
          title="Sessions"
          description="Browsers and apps that are signed in to your account."
        >
          <SessionList />
        </Section>
        <PasswordDialog open={changing} onClose={() => setChanging(false)} />
      </QueryScope>
    </Page>
  );
}
