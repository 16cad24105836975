import type { ChatMessage } from "@parley/protocol/models";
import { type FormEvent, type KeyboardEvent, useLayoutEffect, useRef } from "react";
import { fieldIdOf } from "../composer/field-id.ts";
import { pasteAsCode } from "../composer/paste.ts";
import { useTexts } from "../i18n/use-texts.ts";
import type { Conversation } from "../model/conversation.ts";
import { useParley } from "../session/parley-context.ts";
import { isSendKey } from "../ui/enter-key.ts";
import { isComposing } from "../ui/ime.ts";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";

/** A row that was out of view is hidden, and takes no focus, until it is measured; gives up after this many frames. */
const TRIES = 60;

/** Edits a message in place: the key that sends saves, Escape cancels. */
export function EditForm({ message, channelSession }: { message: ChatMessage; channelSession: Conversation }) {
  const parley = useParley();
  const { messages: texts, app, markdown } = useTexts();
  const action = useAction();
  const form = useRef<HTMLFormElement>(null);
  const text = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const { current } = text;
    current?.setSelectionRange(current.value.length, current.value.length);
    let frame = 0;
    const focus = (tries: number) => {
      current?.focus();
      if (document.activeElement !== current && tries > 0) frame = requestAnimationFrame(() => focus(tries - 1));
    };
    focus(TRIES);
    return () => cancelAnimationFrame(frame);
  }, []);
  const close = () => {
    // Return the focus to where it came from, unless the user has moved it elsewhere.
    const { current } = form;
    if (current?.contains(document.activeElement)) {
      const isFromComposer = channelSession.composeState.isEditedFromComposer;
      (isFromComposer
        ? document.getElementById(fieldIdOf(channelSession.rootId))
        : current.closest("article")
      )?.focus();
    }
    channelSession.composeState.editing.set(null);
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const content = text.current?.value.trim() ?? "";
    const isNothing = content === "" && message.sticker === null && message.files.length === 0;
    if (isNothing || content === message.content) return close();
    const isDone = await action.run(() => parley.live.command("message:edit", { message_id: message.id, content }));
    if (isDone) close();
  };
  const keyed = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (isComposing(event)) return;
    if (event.key === "Escape") {
      // A thread would close.
      event.preventDefault();
      close();
    }
    if (!isSendKey(event)) return;
    event.preventDefault();
    form.current?.requestSubmit();
  };
  return (
    <form className="edit" ref={form} onSubmit={submit}>
      <textarea
        ref={text}
        aria-label={texts.editing}
        defaultValue={message.content}
        rows={2}
        onKeyDown={keyed}
        onPaste={(event) => pasteAsCode(event) && parley.notices.say(markdown.pastedAsCode)}
        dir="auto"
      />
      {action.error !== null && <ErrorLine text={action.error} />}
      <div className="row">
        <button type="submit" disabled={action.isBusy}>
          {app.save}
        </button>
        <button type="button" className="secondary" onClick={close}>
          {app.cancel}
        </button>
      </div>
    </form>
  );
}
