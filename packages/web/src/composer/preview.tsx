import { useTexts } from "../i18n/use-texts.ts";
import { MessageText } from "../markdown/message-text.tsx";
import { PreviewIcon } from "../ui/icons.tsx";

/** What can make a text look different from how it is written. */
const MARKS = /[*_~`#>|[\]$]|^\s*(?:[-+]|\d+[.)])\s|https?:/m;

/** True if a text may have Markdown. */
export const isFormatted = (text: string): boolean => MARKS.test(text);

/** The text in the composer as it will look. Names are marked when it is sent. */
export function Preview({ text }: { text: string }) {
  const { markdown: texts } = useTexts();
  return (
    <section className="preview" aria-label={texts.preview}>
      <MessageText message={{ content: text, mentions: [] }} />
    </section>
  );
}

export function PreviewButton({ isOn, onToggle }: { isOn: boolean; onToggle(): void }) {
  const { markdown: texts } = useTexts();
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={texts.preview}
      title={texts.preview}
      aria-pressed={isOn}
      onClick={onToggle}
    >
      <PreviewIcon />
    </button>
  );
}
