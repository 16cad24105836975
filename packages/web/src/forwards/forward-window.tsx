import type { ChatMessage } from "@parley/protocol/models";
import { newIdempotencyKey } from "@parley/sdk";
import { Forwards } from "@parley/sdk/groups";
import { type FormEvent, useRef, useState } from "react";
import { useForwardsTexts } from "../i18n/hooks/use-forwards-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { MessageExcerpt } from "../markdown/message-text.tsx";
import { fileLine } from "../model/files/file-line.ts";
import { nameOf, ownWords } from "../model/forward-sources.ts";
import type { SwitchEntry } from "../navigation/switch-entries.ts";
import type { Parley } from "../session/parley.ts";
import { useParley } from "../session/parley-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { TextArea } from "../ui/field.tsx";
import { formValue } from "../ui/form-value.ts";
import { Submit } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";
import { TargetPicker } from "./target-picker.tsx";

/** Sends a message on to another channel or person, with a comment. */
export function ForwardWindow({ message, onClose }: { message: ChatMessage; onClose(): void }) {
  const parley = useParley();
  const texts = useForwardsTexts();
  const action = useAction();
  const [target, setTarget] = useState<SwitchEntry | null>(null);
  // The same attempt again is the same message, also if its answer was lost.
  const attempt = useRef({ of: "", key: "" });
  const form = useRef<HTMLFormElement>(null);
  const pick = (picked: SwitchEntry | null) => {
    setTarget(picked);
    // The field or button that had the focus goes.
    const next = picked === null ? "[role=combobox]" : "textarea";
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>(next)?.focus());
  };
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (target === null) return action.fail(texts.chooseFirst);
    const comment = formValue(event.currentTarget, "comment");
    const isDone = await action.run(async () => {
      const channel_id = await channelOf(parley, target);
      const of = `${channel_id} ${comment}`;
      if (attempt.current.of !== of) attempt.current = { of, key: newIdempotencyKey() };
      const body = { channel_id, comment, client_msg_id: attempt.current.key };
      await parley.client.group(Forwards).create(message.id, body);
    });
    if (!isDone) return;
    parley.notices.say(texts.done(target.name));
    onClose();
  };
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <form ref={form} className="stack" onSubmit={submit}>
        <TargetPicker target={target} onPick={pick} />
        <TextArea label={texts.comment} name="comment" dir="auto" />
        <Preview message={message} />
        <Submit action={action}>{texts.forward}</Submit>
      </form>
    </Dialog>
  );
}

/** Returns the id of the channel, or of the conversation with a person, which is begun if needed. */
async function channelOf(parley: Parley, { channel, name }: SwitchEntry): Promise<number> {
  if (channel !== null) return channel.id;
  const opened = await parley.client.channels.openDirect(name);
  parley.channels.put(opened.channel);
  return opened.channel.id;
}

/** A preview of the forwarded text. The server decides in the end. */
function Preview({ message }: { message: ChatMessage }) {
  const parley = useParley();
  const texts = useForwardsTexts();
  const all = useTexts();
  const channel = parley.channels.find(message.channel_id);
  const { forwarded, expires_at, files } = message;
  const isLink =
    expires_at !== null ||
    forwarded?.is_copy === false ||
    (channel !== undefined && (channel.price !== null || channel.effective_retention_days !== null));
  if (isLink) return <p className="hint">{texts.onlyLink}</p>;
  const copied = forwarded ?? message;
  const content = forwarded?.content ?? ownWords(message).content;
  return (
    <section className="forwarded" aria-label={texts.preview}>
      <p className="muted">
        {texts.preview}: <bdi className="name">{nameOf(copied)}</bdi>
      </p>
      {content !== "" && (
        <div className="excerpt">
          <MessageExcerpt message={{ content, mentions: [] }} />
        </div>
      )}
      {files.length > 0 && <bdi className="muted">{fileLine(files, all)}</bdi>}
    </section>
  );
}
