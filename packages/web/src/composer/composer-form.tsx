import type { FileRecord } from "@parley/protocol/files";
import { CONTENT_MAX } from "@parley/protocol/limits";
import type { Channel, Sticker } from "@parley/protocol/models";
import {
  type ChangeEvent,
  type ClipboardEvent,
  type FormEvent,
  type KeyboardEvent,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { useTexts } from "../i18n/use-texts.ts";
import { labelOf } from "../model/channel-groups.ts";
import type { Conversation } from "../model/conversation.ts";
import { lazy } from "../session/lazy.tsx";
import { useParley, useSelf } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";
import { isSendKey, isTouch } from "../ui/enter-key.ts";
import { SendIcon } from "../ui/icons.tsx";
import { isComposing } from "../ui/ime.ts";
import { isShortcut } from "../ui/shortcuts.ts";
import { AttachButton } from "./attachments/attach-button.tsx";
import { pastedFiles } from "./attachments/pasted-files.ts";
import { useAttachments } from "./attachments/use-attachments.ts";
import type { Suggestion } from "./completion.ts";
import { draftName } from "./drafts.ts";
import { ExpiryButton, Lines } from "./expiry-button.tsx";
import { fieldIdOf } from "./field-id.ts";
import type { Pasted } from "./offers.tsx";
import { isFormatted, Preview, PreviewButton } from "./preview.tsx";
import { ReplyLine } from "./reply-line.tsx";
import { ComposerTools } from "./tools/composer-tools.tsx";
import { type Completion, useCompletion } from "./use-completion.ts";
import { type Field, useComposeState, useDraftField } from "./use-draft-field.ts";
import { useTyping } from "./use-typing.ts";

const DropTarget = lazy(async () => (await import("./attachments/drop-target.tsx")).DropTarget);
const CompletionList = lazy(async () => (await import("./completion-list.tsx")).CompletionList);
const ReplyKeyboard = lazy(async () => (await import("./reply-keyboard.tsx")).ReplyKeyboard);
const Offers = lazy(async () => (await import("./offers.tsx")).Offers);
/** The helpers for writing and pasting. They load with the first field. */
let help: (typeof import("./writing-help.ts") & typeof import("./paste.ts")) | null = null;
const loadHelp = async () => {
  help ??= { ...(await import("./writing-help.ts")), ...(await import("./paste.ts")) };
};
const AttachmentTray = lazy(async () => (await import("./attachments/attachment-tray.tsx")).AttachmentTray);

interface Props {
  channelSession: Conversation;
  channel: Channel;
}

/** The text field and its tools. */
export function ComposerForm({ channelSession, channel }: Props) {
  const { composer: texts, threads } = useTexts();
  const parley = useParley();
  const self = useSelf();
  const { rootId } = channelSession;
  const field = useDraftField(self, { channelId: channel.id, rootId });
  const completion = useCompletion(channelSession, channel, self, field);
  useComposeState(field, channelSession.composeState);
  const replyTo = useStore(channelSession.composeState.replyTo);
  const { messages, hasOlder } = useStore(channelSession.view);
  const hasKeyboard = hasOlder || messages.some(({ keyboard }) => keyboard);
  const [hint, setHint] = useState<string | null>(null);
  const typing = useTyping(channel.id, rootId);
  const tooMany = [...field.text].length - CONTENT_MAX;
  const [pasted, setPasted] = useState<Pasted | null>(null);
  const isPasted = pasted !== null && field.text.startsWith(pasted.text, pasted.start);
  const [isPreviewOn, setPreviewOn] = useState(false);
  const [alsoInChannel, setAlsoInChannel] = useState(false);
  const [expiresIn, setExpiresIn] = useState<number | null>(null);
  const hasPreview = isFormatted(field.text);
  const form = useRef<HTMLFormElement>(null);
  const { attachments, count, holds, add } = useAttachments(draftName(self, { channelId: channel.id, rootId }));
  const isReady = (field.text.trim() !== "" || count > 0) && tooMany <= 0 && holds === null;

  const place = {
    channel_id: channel.id,
    thread_root_id: rootId,
    also_in_channel: rootId !== null && alsoInChannel,
    link_previews: field.previews,
  };
  const send = (content: string, sticker: Sticker | null, files: readonly FileRecord[] = []) => {
    const replyToId = replyTo?.id ?? null;
    const more = { replyToId, threadRootId: rootId, alsoInChannel, expiresIn, linkPreviews: field.previews };
    channelSession.pendingMessages.send({ content, sticker, files, ...more });
    setAlsoInChannel(false);
    setExpiresIn(null);
    channelSession.composeState.replyTo.set(null);
    channelSession.scrollTo(null);
    typing.stop();
  };
  const partsSent = () => {
    field.put("", 0);
    setAlsoInChannel(false);
    typing.stop();
    channelSession.scrollTo(null);
  };
  const sendLater = async (sendAt: string) => {
    const files = attachments.ready();
    await parley.client.scheduled.create({
      ...place,
      content: ofText(field.text),
      send_at: sendAt,
      reply_to_id: replyTo?.id ?? null,
      file_ids: files.map(({ file_id }) => file_id),
    });
    attachments.take();
    field.put("", 0);
    channelSession.composeState.replyTo.set(null);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isReady) return;
    send(ofText(field.text), null, attachments.take());
    field.put("", 0);
    setPasted(null);
    completion.close();
  };
  const keyed = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === "Escape" && replyTo !== null) {
      // A thread would close.
      event.preventDefault();
      channelSession.composeState.replyTo.set(null);
    }
    if (field.text === "" && isShortcut(event, "editLast")) help?.editLast(channelSession, self, event);
    if (help?.emphasize(event)) return;
    if (!isSendKey(event)) {
      help?.continueList(event);
      return;
    }
    event.preventDefault();
    event.currentTarget.form?.requestSubmit();
  };
  const name = channel.is_direct ? labelOf(channel) : `#${channel.name}`;
  return (
    <form className="composer" ref={form} onSubmit={submit}>
      <DropTarget within={form} onFiles={add} />
      {replyTo !== null && (
        <ReplyLine message={replyTo} onClose={() => channelSession.composeState.replyTo.set(null)} />
      )}
      {(expiresIn !== null || field.text.includes("://")) && <Lines {...{ channel, field }} seconds={expiresIn} />}
      {isPreviewOn && hasPreview && <Preview text={field.text} />}
      {count > 0 && <AttachmentTray attachments={attachments} />}
      {hasKeyboard && <ReplyKeyboard {...{ channelSession, channel, field, setHint }} />}
      {(tooMany > 0 || isPasted) && (
        <Offers
          field={field}
          pasted={isPasted ? pasted : null}
          isTooLong={tooMany > 0}
          onFile={(file) => add([file])}
          place={count === 0 && replyTo === null && expiresIn === null ? place : null}
          onSent={partsSent}
          onKeep={() => setPasted(null)}
        />
      )}
      <div className="field-row">
        <AttachButton onFiles={add} />
        <TextField
          field={field}
          completion={completion}
          id={fieldIdOf(rootId)}
          label={rootId === null ? texts.label(name) : threads.replyIn(name)}
          placeholder={hint ?? (rootId === null ? texts.placeholder(name) : threads.placeholder)}
          onKey={keyed}
          onTyping={typing.tell}
          onFiles={add}
          onCode={setPasted}
        />
        {tooMany > 0 && <span className="too-long">{texts.tooLong(tooMany)}</span>}
        {hasPreview && <PreviewButton isOn={isPreviewOn} onToggle={() => setPreviewOn(!isPreviewOn)} />}
        <ComposerTools
          channel={rootId === null ? channel : null}
          onEmoji={field.insert}
          onSend={(sticker, files) => send("", sticker, files)}
        />
        <ExpiryButton value={expiresIn} onChoose={setExpiresIn} onLater={isReady ? sendLater : null} />
        <button type="submit" className="send" aria-label={texts.send} title={texts.send} disabled={!isReady}>
          <SendIcon />
        </button>
      </div>
      {rootId !== null && (
        <label className="check">
          <input type="checkbox" checked={alsoInChannel} onChange={(event) => setAlsoInChannel(event.target.checked)} />
          <span>{threads.also(name)}</span>
        </label>
      )}
    </form>
  );
}

interface TextFieldProps {
  field: Field;
  completion: Completion;
  id: string;
  label: string;
  placeholder: string;
  /** Called for keys that neither belong to a composition nor choose a suggestion. */
  onKey(event: KeyboardEvent<HTMLTextAreaElement>): void;
  onTyping(): void;
  /** Called for files that are pasted. */
  onFiles(files: readonly File[]): void;
  /** Called for text that is pasted and may be code. */
  onCode(pasted: Pasted): void;
}

/** Without blank lines around it. The first of several lines keeps its indentation. */
const ofText = (text: string): string =>
  text.trim().includes("\n") ? text.replace(/^(?:[^\S\n]*\n)+/, "").trimEnd() : text.trim();

/** The textarea, with suggestions for the mention being written. */
function TextField({ field, completion, id, label, placeholder, onKey, onTyping, onFiles, onCode }: TextFieldProps) {
  const parley = useParley();
  const { markdown } = useTexts();
  const listId = useId();
  // Without it the field is as the browser makes it.
  useEffect(() => void loadHelp().catch(() => {}), []);
  const { shown } = completion;
  const changed = ({ target, nativeEvent }: ChangeEvent<HTMLTextAreaElement>) => {
    field.write(target.value);
    // A half-composed character matches no name.
    if (nativeEvent instanceof InputEvent && nativeEvent.isComposing) completion.close();
    else completion.update(target);
    if (target.value !== "") onTyping();
  };
  const pasted = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const files = pastedFiles(event.clipboardData);
    if (files.length > 0) {
      event.preventDefault();
      onFiles(files);
    } else if (help?.pasteAsLink(event)) return;
    else if (help?.pasteAsCode(event)) parley.notices.say(markdown.pastedAsCode);
    else if (help?.mayBeCode(event)) {
      const text = event.clipboardData.getData("text/plain").replaceAll(/\r\n?/g, "\n");
      onCode({ start: event.currentTarget.selectionStart, text });
    }
  };
  const take = (choice: Suggestion) => field.ref.current !== null && completion.take(field.ref.current, choice);
  return (
    <>
      {shown !== null && <CompletionList id={listId} {...shown} onTake={take} />}
      <textarea
        ref={field.ref}
        id={id}
        rows={1}
        value={field.text}
        dir="auto"
        enterKeyHint={isTouch() ? "enter" : "send"}
        autoComplete="off"
        aria-label={label}
        placeholder={placeholder}
        aria-autocomplete="list"
        aria-controls={shown === null ? undefined : listId}
        aria-activedescendant={shown === null ? undefined : `${listId}-${shown.at}`}
        onKeyDown={(event) => {
          if (!isComposing(event) && !completion.keyed(event)) onKey(event);
        }}
        onPaste={pasted}
        onBlur={completion.close}
        onCompositionEnd={(event) => completion.update(event.currentTarget)}
        onChange={changed}
      />
    </>
  );
}
