import { X } from "lucide-react";
import { Button } from "react-aria-components/Button";
import { Label } from "react-aria-components/Label";
import { Tag, TagGroup, TagList as AriaTagList } from "react-aria-components/TagGroup";
import "../styles/aria.css";

export interface TagListProps {
  label: string;
  hideLabel?: boolean;
  tags: readonly { id: string; title: string }[];
  /** Delete, or the cross. */
  onRemove?(ids: readonly string[]): void;
}

/** Short names that can be taken away, by keyboard too. */
export function TagList({ label, hideLabel, tags, onRemove }: TagListProps) {
  return (
    <TagGroup
      className="t-field"
      aria-label={hideLabel ? label : undefined}
      onRemove={onRemove && ((keys) => onRemove([...keys].map(String)))}
    >
      {!hideLabel && <Label>{label}</Label>}
      <AriaTagList className="t-aria-tags" items={tags}>
        {({ id, title }) => (
          <Tag id={id} textValue={title}>
            {title}
            {onRemove && (
              <Button slot="remove" aria-label={`Remove ${title}`}>
                <X size={12} />
              </Button>
            )}
          </Tag>
        )}
      </AriaTagList>
    </TagGroup>
  );
}
