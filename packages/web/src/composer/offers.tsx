import { CONTENT_MAX } from "@parley/protocol/limits";
import type { SendMessagesBody } from "@parley/protocol/messages";
import { MANY_MAX } from "@parley/protocol/stream-limits";
import { splitText } from "@parley/sdk";
import { useRef } from "react";
import { useWritingTexts } from "../i18n/hooks/use-writing-texts.ts";
import { useParley } from "../session/parley-context.ts";
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
  /** Where the parts of a long text go; null: not with what is attached. */
  place: Omit<SendMessagesBody, "messages"> | null;
  onSent(): void;
  /** The paste stays text. */
  onKeep(): void;
}

/** What the composer offers for the text in it: a block for pasted code, and ways to send a text that is too long. */
export function Offers({ field, pasted, isTooLong, onFile, place, onSent, onKeep }: Props) {
  const texts = useWritingTexts();
  const action = useAction();
  const parley = useParley();
  const sent = useRef({ text: "", key: "" });
  const send = async (to: Omit<SendMessagesBody, "messages">, parts: readonly string[]) => {
    const text = parts.join("");
    // Pressed again after a lost answer, it sends the same messages.
    if (sent.current.text !== text) sent.current = { text, key: crypto.randomUUID() };
    const { key } = sent.current;
    const messages = parts.map((content, at) => ({ content, client_msg_id: `${key}.${at}` }));
    await parley.client.messages.sendMany({ ...to, messages });
    onSent();
  };
  const attach = () => {
    onFile(new File([field.text], texts.fileName, { type: "text/plain" }));
    field.put("", 0);
  };
  const parts = isTooLong && place !== null ? splitText(field.text.trim(), CONTENT_MAX) : [];
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
      {place !== null && parts.length > 1 && parts.length <= MANY_MAX && (
        <button
          type="button"
          className="link"
          disabled={action.isBusy}
          onClick={() => void action.run(() => send(place, parts))}
        >
          {texts.asMessages(parts.length)}
        </button>
      )}
    </div>
  );
}
