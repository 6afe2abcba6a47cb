import { Badge, Button, Notice } from "@tenon/ui";
import { CircleAlert, CircleCheck, Info, TriangleAlert } from "lucide-react";

export default function Example() {
  return (
    <div className="t-form">
      <Notice tone="info" icon={Info} live={false}>
        A new version of this plugin is available.
      </Notice>
      <Notice tone="success" icon={CircleCheck} live={false}>
        The export is complete.
      </Notice>
      <Notice
        tone="warning"
        icon={TriangleAlert}
        live={false}
        action={<Button size="small">Review</Button>}
      >
        Three cards have no owner.
      </Notice>
      <Notice tone="danger" icon={CircleAlert} live={false}>
        The file could not be read.
      </Notice>
      <div className="g-row">
        <Badge>Draft</Badge>
        <Badge tone="accent">New</Badge>
        <Badge tone="info">Shared</Badge>
        <Badge tone="success">Active</Badge>
        <Badge tone="warning">Waiting</Badge>
        <Badge tone="danger">Failed</Badge>
      </div>
    </div>
  );
}
