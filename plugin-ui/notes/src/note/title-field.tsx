import { useEffect, useLayoutEffect, useRef, type RefObject } from "react";
import { limits } from "../model/types.ts";

export interface TitleFieldProps {
  ref: RefObject<HTMLTextAreaElement | null>;
  value: string;
  /** The keyboard goes here at once. */
  autoFocus: boolean;
  readOnly?: boolean;
  onChange(title: string): void;
  /** The title is finished. */
  onFinish(): void;
  /** Enter, or down from the last line. */
  onLeave(): void;
}

/** The note's title: grows with what is typed, one paragraph. */
export function TitleField({
  ref,
  value,
  autoFocus,
  readOnly,
  onChange,
  onFinish,
  onLeave,
}: TitleFieldProps) {
  const grown = useRef(false);
  useLayoutEffect(() => {
    const element = ref.current;
    // For browsers without the stylesheet's `field-sizing`.
    if (!element || CSS.supports("field-sizing", "content")) return;
    grown.current = true;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight}px`;
  }, [ref, value]);
  useEffect(() => {
    if (autoFocus) ref.current?.focus();
  }, [ref, autoFocus]);

  return (
    <textarea
      ref={ref}
      className="notes-title"
      aria-label="Title"
      placeholder="Untitled"
      rows={1}
      value={value}
      readOnly={readOnly}
      maxLength={limits.title}
      spellCheck
      onChange={(event) => onChange(event.target.value.replace(/[\r\n]+/g, " "))}
      onBlur={onFinish}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return;
        const { selectionStart, selectionEnd, value: text } = event.currentTarget;
        const atEnd = selectionStart === selectionEnd && selectionEnd === text.length;
        if (event.key === "Enter" || (event.key === "ArrowDown" && atEnd)) {
          event.preventDefault();
          onFinish();
          onLeave();
        }
      }}
    />
  );
}
