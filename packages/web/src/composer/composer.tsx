import { CONTENT_MAX } from "@parley/protocol/limits";
import type { ChannelRecord, Sticker } from "@parley/protocol/records";
import { type FormEvent, type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { isComposing } from "../app/composing.ts";
import { CloseIcon, PacketIcon, SendIcon, SmileIcon, StickerIcon } from "../app/icons.tsx";
import { useParley, useSelf, useTexts } from "../app/parley-context.ts";
import { Popover } from "../app/popover.tsx";
import { useStore } from "../app/store.ts";
import type { Room } from "../messages/room.ts";
import { senderOf } from "../messages/rows.ts";
import { CompletionList } from "./completion-list.tsx";
import { keepDraft, readDraft } from "./drafts.ts";
import { EmojiGrid } from "./emoji.tsx";
import { StickerPicker } from "./sticker-picker.tsx";
import { useCompletion } from "./use-completion.ts";
import { useTyping } from "./use-typing.ts";

/** No taller than this the field grows with its text. */
const TALLEST_PX = 200;

/** Where one writes: Enter sends, Shift and Enter makes a line. */
export function Composer({ room, channel }: { room: Room; channel: ChannelRecord }) {
  const parley = useParley();
  const { composer: texts, account } = useTexts();
  const session = useStore(parley.session);
  const manages = channel.my_role === "owner" || channel.my_role === "admin";
  if (session.state === "unknown") return <div className="composer" />;
  if (session.state === "guest") {
    return (
      <div className="composer closed">
        <p>{texts.guest}</p>
        <button type="button" onClick={() => parley.entrance.set("login")}>
          {account.logIn}
        </button>
      </div>
    );
  }
  if (channel.post_policy === "admins" && !manages) return <p className="composer closed">{texts.readOnly}</p>;
  return <Writing room={room} channel={channel} />;
}

function Writing({ room, channel }: { room: Room; channel: ChannelRecord }) {
  const parley = useParley();
  const { composer: texts } = useTexts();
  const self = useSelf();
  const id = useId();
  const [text, setText] = useState(() => readDraft(self, channel.id));
  const [caret, setCaret] = useState<number | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const replyTo = useStore(room.speaking.replyTo);
  const typing = useTyping(channel.id);
  const name = channel.direct_with ?? `#${channel.name}`;
  const length = [...text].length;
  const put = (next: string, at: number) => {
    setText(next);
    keepDraft(self, channel.id, next);
    setCaret(at);
  };
  const completion = useCompletion(room, self, put);

  useEffect(() => {
    // On a phone the keyboard would cover what one came to read.
    if (matchMedia("(pointer: fine)").matches) field.current?.focus();
  }, []);
  useEffect(() => {
    if (replyTo !== null) field.current?.focus();
  }, [replyTo]);
  useEffect(
    () =>
      room.speaking.insert.subscribe(() => {
        const insert = room.speaking.insert.get();
        const { current } = field;
        if (insert === null || current === null) return;
        const at = current.selectionStart;
        const next = `${current.value.slice(0, at)}${insert.text}${current.value.slice(at)}`;
        setText(next);
        setCaret(at + insert.text.length);
      }),
    [room],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the field grows with its text
  useLayoutEffect(() => {
    const { current } = field;
    if (current === null) return;
    current.style.height = "auto";
    current.style.height = `${Math.min(current.scrollHeight, TALLEST_PX)}px`;
    if (caret === null) return;
    current.focus();
    current.setSelectionRange(caret, caret);
    setCaret(null);
  }, [text, caret]);

  const send = (content: string, sticker: Sticker | null) => {
    room.sends.send({ content, sticker, replyToId: replyTo?.id ?? null });
    room.speaking.replyTo.set(null);
    room.look(null);
    typing.stop();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const content = text.trim();
    if (content === "" || length > CONTENT_MAX) return;
    send(content, null);
    put("", 0);
    completion.close();
  };
  const keyed = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    // Keys that compose a character are not for us.
    if (isComposing(event) || completion.keyed(event)) return;
    if (event.key === "Escape" && replyTo !== null) room.speaking.replyTo.set(null);
    if (event.key === "ArrowUp" && text === "") editLast(room, self, event);
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    event.currentTarget.form?.requestSubmit();
  };
  return (
    <form className="composer" onSubmit={submit}>
      {completion.shown !== null && (
        <CompletionList
          id={`${id}-names`}
          {...completion.shown}
          onTake={(choice) => field.current !== null && completion.take(field.current, choice)}
        />
      )}
      {replyTo !== null && (
        <ReplyLine name={senderOf(replyTo)} text={replyTo.content} onClose={() => room.speaking.replyTo.set(null)} />
      )}
      <div className="field-row">
        <textarea
          ref={field}
          id="text"
          rows={1}
          value={text}
          dir="auto"
          enterKeyHint="send"
          autoComplete="off"
          aria-label={texts.label(name)}
          placeholder={texts.placeholder(name)}
          aria-autocomplete="list"
          aria-controls={completion.shown === null ? undefined : `${id}-names`}
          aria-activedescendant={completion.shown === null ? undefined : `${id}-names-${completion.shown.at}`}
          onKeyDown={keyed}
          onBlur={completion.close}
          onCompositionEnd={(event) => completion.look(event.currentTarget)}
          onChange={(event) => {
            setText(event.target.value);
            keepDraft(self, channel.id, event.target.value);
            // Half a character names nobody.
            if (event.nativeEvent instanceof InputEvent && event.nativeEvent.isComposing) completion.close();
            else completion.look(event.target);
            if (event.target.value !== "") typing.tell();
          }}
        />
        {length > CONTENT_MAX && <span className="too-long">{texts.tooLong(length - CONTENT_MAX)}</span>}
        <Popover label={texts.emoji} button={<SmileIcon />}>
          {(close) => (
            <EmojiGrid
              label={(emoji) => emoji}
              onPick={(emoji) => {
                close();
                const at = field.current?.selectionStart ?? text.length;
                put(text.slice(0, at) + emoji + text.slice(at), at + emoji.length);
              }}
            />
          )}
        </Popover>
        <Popover label={texts.stickers} button={<StickerIcon />}>
          {(close) => (
            <StickerPicker
              onPick={(sticker) => {
                close();
                send("", sticker);
              }}
            />
          )}
        </Popover>
        <button
          type="button"
          className="icon-button"
          aria-label={texts.packet}
          title={texts.packet}
          onClick={() => parley.opened.set({ window: "new packet", channel })}
        >
          <PacketIcon />
        </button>
        <button
          type="submit"
          className="send"
          aria-label={texts.send}
          title={texts.send}
          disabled={text.trim() === "" || length > CONTENT_MAX}
        >
          <SendIcon />
        </button>
      </div>
    </form>
  );
}

/** Up, in an empty field, changes the last thing one said. */
function editLast(room: Room, self: string | null, event: KeyboardEvent): void {
  const last = room.view
    .get()
    .messages.findLast((message) => message.username === self && message.type === "text" && !message.is_deleted);
  if (last === undefined || self === null) return;
  event.preventDefault();
  room.speaking.editing.set(last.id);
}

function ReplyLine({ name, text, onClose }: { name: string; text: string; onClose(): void }) {
  const { composer: texts, messages } = useTexts();
  return (
    <div className="reply-line">
      <p>
        <bdi>{messages.replyTo(name)}</bdi> <bdi className="soft">{text.slice(0, 160)}</bdi>
      </p>
      <button type="button" className="icon-button" aria-label={texts.cancelReply} onClick={onClose}>
        <CloseIcon />
      </button>
    </div>
  );
}
