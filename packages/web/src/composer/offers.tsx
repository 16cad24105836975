import { CONTENT_MAX } from "@parley/protocol/limits";
import { MANY_MAX } from "@parley/protocol/stream-limits";
import { splitText } from "@parley/sdk";
import { useWritingTexts } from "../i18n/hooks/use-writing-texts.ts";
import { useAction } from "../ui/use-action.ts";
import { makeCode } from "./paste.ts";
import type { Field } from "./use-draft-field.ts";

/** Where text was pasted that may be code. */
export interface Pasted {
  start: number;
  text: string;
}

interface Props {
  field: Field;
  pasted: Pasted | null;
  isTooLong: boolean;
  /** Attaches a file. */
  onFile(file: File): void;
  /** Sends the parts of a long text; null: not here, or not with what is attached. */
  onParts: ((parts: readonly string[]) => Promise<void>) | null;
  /** The paste stays text. */
  onKeep(): void;
}

/** What the composer offers for the text in it: a block for pasted code, and ways to send a text that is too long. */
export function Offers({ field, pasted, isTooLong, onFile, onParts, onKeep }: Props) {
  const texts = useWritingTexts();
  const action = useAction();
  const attach = () => {
    onFile(new File([field.text], texts.fileName, { type: "text/plain" }));
    field.put("", 0);
  };
  const parts = isTooLong && onParts !== null ? splitText(field.text.trim(), CONTENT_MAX) : [];
  const block = () => {
    if (field.ref.current !== null && pasted !== null) makeCode(field.ref.current, pasted.start, pasted.text);
    onKeep();
  };
  return (
    <div className="offers" role="status">
      {action.error !== null && <span className="error">{action.error}</span>}
      {pasted !== null && (
        <>
          <span>{texts.looksLikeCode}</span>
          <button type="button" className="link" onClick={block}>
            {texts.asCode}
          </button>
          <button type="button" className="link" onClick={onKeep}>
            {texts.keep}
          </button>
        </>
      )}
      {isTooLong && (
        <button type="button" className="link" onClick={attach}>
          {texts.asFile}
        </button>
      )}
      {onParts !== null && parts.length > 1 && parts.length <= MANY_MAX && (
        <button
          type="button"
          className="link"
          disabled={action.isBusy}
          onClick={() => void action.run(() => onParts(parts))}
        >
          {texts.asMessages(parts.length)}
        </button>
      )}
    </div>
  );
}
