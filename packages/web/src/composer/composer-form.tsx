import type { FileRecord } from "@parley/protocol/files";
import { CONTENT_MAX } from "@parley/protocol/limits";
import type { Channel, Sticker } from "@parley/protocol/models";
import {
  type ChangeEvent,
  type ClipboardEvent,
  type FormEvent,
  type KeyboardEvent,
  useId,
  useRef,
  useState,
} from "react";
import { useTexts } from "../i18n/use-texts.ts";
import { labelOf } from "../model/channel-groups.ts";
import type { ChannelSession } from "../model/channel-session.ts";
import { lazy } from "../session/lazy.tsx";
import { useParley, useSelf } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";
import { isSendKey, isTouch } from "../ui/enter-key.ts";
import { SendIcon } from "../ui/icons.tsx";
import { isComposing } from "../ui/ime.ts";
import { isShortcut } from "../ui/shortcuts.ts";
import { AttachButton } from "./attachments/attach-button.tsx";
import { DropTarget } from "./attachments/drop-target.tsx";
import { pastedFiles } from "./attachments/pasted-files.ts";
import { useAttachments } from "./attachments/use-attachments.ts";
import type { Suggestion } from "./completion.ts";
import { CompletionList } from "./completion-list.tsx";
import { ComposerTools } from "./composer-tools.tsx";
import { draftName } from "./drafts.ts";
import { pasteAsCode } from "./paste.ts";
import { isFormatted, Preview, PreviewButton } from "./preview.tsx";
import { ReplyLine } from "./reply-line.tsx";
import { type Completion, useCompletion } from "./use-completion.ts";
import { type Field, useComposeState, useDraftField } from "./use-draft-field.ts";
import { useTyping } from "./use-typing.ts";

const AttachmentTray = lazy(async () => (await import("./attachments/attachment-tray.tsx")).AttachmentTray);

interface Props {
  channelSession: ChannelSession;
  channel: Channel;
}

/** The text field and its tools. */
export function ComposerForm({ channelSession, channel }: Props) {
  const { composer: texts } = useTexts();
  const self = useSelf();
  const field = useDraftField(self, channel.id);
  const completion = useCompletion(channelSession, self, field);
  useComposeState(field, channelSession.composeState);
  const replyTo = useStore(channelSession.composeState.replyTo);
  const typing = useTyping(channel.id);
  const tooMany = [...field.text].length - CONTENT_MAX;
  const [isPreviewOn, setPreviewOn] = useState(false);
  const hasPreview = isFormatted(field.text);
  const form = useRef<HTMLFormElement>(null);
  const { attachments, count, holds, add } = useAttachments(draftName(self, channel.id));
  const isReady = (field.text.trim() !== "" || count > 0) && tooMany <= 0 && holds === null;

  const send = (content: string, sticker: Sticker | null, files: readonly FileRecord[] = []) => {
    channelSession.pendingMessages.send({ content, sticker, files, replyToId: replyTo?.id ?? null });
    channelSession.composeState.replyTo.set(null);
    channelSession.scrollTo(null);
    typing.stop();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isReady) return;
    send(field.text.trim(), null, attachments.take());
    field.put("", 0);
    completion.close();
  };
  const keyed = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === "Escape" && replyTo !== null) channelSession.composeState.replyTo.set(null);
    if (field.text === "" && isShortcut(event, "editLast")) editLast(channelSession, self, event);
    if (!isSendKey(event)) return;
    event.preventDefault();
    event.currentTarget.form?.requestSubmit();
  };
  return (
    <form className="composer" ref={form} onSubmit={submit}>
      <DropTarget within={form} onFiles={add} />
      {replyTo !== null && (
        <ReplyLine message={replyTo} onClose={() => channelSession.composeState.replyTo.set(null)} />
      )}
      {isPreviewOn && hasPreview && <Preview text={field.text} />}
      {count > 0 && <AttachmentTray attachments={attachments} />}
      <div className="field-row">
        <AttachButton onFiles={add} />
        <TextField
          field={field}
          completion={completion}
          name={channel.is_direct ? labelOf(channel) : `#${channel.name}`}
          onKey={keyed}
          onTyping={typing.tell}
          onFiles={add}
        />
        {tooMany > 0 && <span className="too-long">{texts.tooLong(tooMany)}</span>}
        {hasPreview && <PreviewButton isOn={isPreviewOn} onToggle={() => setPreviewOn(!isPreviewOn)} />}
        <ComposerTools channel={channel} onEmoji={field.insert} onSticker={(sticker) => send("", sticker)} />
        <button type="submit" className="send" aria-label={texts.send} title={texts.send} disabled={!isReady}>
          <SendIcon />
        </button>
      </div>
    </form>
  );
}

interface TextFieldProps {
  field: Field;
  completion: Completion;
  /** The channel's name. */
  name: string;
  /** Called for keys that neither belong to a composition nor choose a suggestion. */
  onKey(event: KeyboardEvent<HTMLTextAreaElement>): void;
  onTyping(): void;
  /** Called for files that are pasted. */
  onFiles(files: readonly File[]): void;
}

/** The textarea, with suggestions for the mention being written. */
function TextField({ field, completion, name, onKey, onTyping, onFiles }: TextFieldProps) {
  const parley = useParley();
  const { composer: texts, markdown } = useTexts();
  const id = useId();
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
    } else if (pasteAsCode(event)) parley.notices.say(markdown.pastedAsCode);
  };
  const take = (choice: Suggestion) => field.ref.current !== null && completion.take(field.ref.current, choice);
  return (
    <>
      {shown !== null && <CompletionList id={id} {...shown} onTake={take} />}
      <textarea
        ref={field.ref}
        id="text"
        rows={1}
        value={field.text}
        dir="auto"
        enterKeyHint={isTouch() ? "enter" : "send"}
        autoComplete="off"
        aria-label={texts.label(name)}
        placeholder={texts.placeholder(name)}
        aria-autocomplete="list"
        aria-controls={shown === null ? undefined : id}
        aria-activedescendant={shown === null ? undefined : `${id}-${shown.at}`}
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

/** Arrow up in an empty field edits the user's last message. */
function editLast(channelSession: ChannelSession, self: string | null, event: KeyboardEvent): void {
  const last = channelSession.view
    .get()
    .messages.findLast((message) => message.username === self && message.type === "text" && !message.is_deleted);
  if (last === undefined || self === null) return;
  event.preventDefault();
  channelSession.composeState.edit(last.id, true);
}
