import type { ChatMessage } from "@parley/protocol/models";
import { type FocusEvent, type KeyboardEvent, memo, type PointerEvent } from "react";
import { clockOf, momentOf, shortClockOf } from "../i18n/date-format.ts";
import { useTexts } from "../i18n/use-texts.ts";
import type { Conversation } from "../model/conversation.ts";
import { senderOf } from "../model/sender.ts";
import { Avatar, Name } from "../people/avatar.tsx";
import { later, lazy } from "../session/lazy.tsx";
import { useParley, useSelf } from "../session/parley-context.ts";
import { messageHref } from "../state/route.ts";
import { useStore } from "../state/store.ts";
import { isShortcut, MESSAGE_ACTS } from "../ui/shortcuts.ts";
import { useLongPress } from "../ui/use-long-press.ts";
import { cardOf, MentionCards, Sender } from "./cards.tsx";
import { Content } from "./content/message-content.tsx";
import { DayMenu } from "./day-menu.tsx";
import type { Row } from "./list/rows.ts";
import { Quote } from "./quote.tsx";
import { Reactions } from "./reactions.tsx";
import { InThread, RepliesDivider, ThreadLine } from "./thread-line.tsx";

const EditForm = later(async () => (await import("./edit-form.tsx")).EditForm);
const MessageActions = later(async () => (await import("./message-actions.tsx")).MessageActions);
const ExpiryMark = lazy(async () => (await import("./expiry-mark.tsx")).ExpiryMark);
const SavedMark = later(async () => (await import("../saved/saved-mark.tsx")).SavedMark);
const StopGrowing = lazy(async () => (await import("./stop-growing.tsx")).StopGrowing);

interface Props {
  /** A message that is being written becomes the sent one in its place. */
  row: Extract<Row, { kind: "message" | "growing" }>;
  channelSession: Conversation;
  /** Hovered or focused: shows the toolbar. */
  isActive: boolean;
  /** Reachable by Tab; only one message at a time is. */
  isStop: boolean;
  /** The target of a link, search or jump. */
  isFound: boolean;
  onActive(messageId: number, isActive: boolean): void;
  /** Called when a finger presses the message long. */
  onHold(messageId: number): void;
  onStep(messageId: number, step: -1 | 1): void;
}

/** A message, preceded by the day separator or the "new" line where needed. */
export const MessageRow = memo(function MessageRow(props: Props) {
  const { row, channelSession, isActive, isStop, isFound, onActive, onHold, onStep } = props;
  const { isContinued, startsDay, startsNew } = row;
  const isGrowing = row.kind === "growing";
  const texts = useTexts();
  const parley = useParley();
  const message = useStore(parley.withdrawn).has(row.message.id)
    ? { ...row.message, is_deleted: true, reactions: [], is_pinned: false }
    : row.message;
  const self = useSelf();
  const card = cardOf(message);
  const editing = useStore(channelSession.composeState.editing);
  const isSource = useStore(channelSession.composeState.source) === message.id;
  const sender = senderOf(message);
  const isAgent = message.sender_type === "agent";
  const isWebhook = message.sender_type === "webhook";
  const isForMe = self !== null && message.mentions.some(({ name }) => name.toLowerCase() === self.toLowerCase());
  const classes = [
    "message",
    ...(isContinued ? ["continued"] : []),
    ...(isGrowing ? ["growing"] : []),
    ...(isForMe ? ["for-me"] : []),
    ...(isFound ? ["highlighted"] : []),
  ];
  const keyed = (event: KeyboardEvent<HTMLElement>) => {
    if (isGrowing || event.target !== event.currentTarget) return;
    const step = isShortcut(event, "previousMessage") ? -1 : isShortcut(event, "nextMessage") ? 1 : null;
    const name = MESSAGE_ACTS.find((each) => isShortcut(event, each));
    if (step === null && name === undefined) return;
    event.preventDefault();
    if (step !== null) onStep(message.id, step);
    if (name === undefined) return;
    const at = { row: event.currentTarget, card };
    const start = async () =>
      (await import("./message-acts.ts")).act(name, { parley, message, self, channelSession, at });
    start().catch((error: unknown) => parley.showError(error));
  };
  const longPress = useLongPress(() => !message.is_deleted && editing !== message.id && onHold(message.id));
  // Only a mouse hovers. A finger leaves before its click, which would remove the button that it presses.
  const hover = (isOver: boolean) => (event: PointerEvent<HTMLElement>) => {
    if (event.pointerType !== "mouse" || isOver === isActive) return;
    // The pointer may cross other messages on its way to a menu.
    const hasMenu = event.currentTarget.closest(".scroller")?.querySelector(".actions :popover-open") != null;
    if (!hasMenu) onActive(message.id, isOver);
  };
  const blurred = ({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>) => {
    // A menu stays open while another window has the focus.
    const isLeft = document.hasFocus() && !currentTarget.contains(relatedTarget);
    if (isLeft && !currentTarget.matches(":hover")) onActive(message.id, false);
  };
  return (
    <>
      {startsDay && (
        <div className="day">
          <DayMenu message={message} channelSession={channelSession} />
        </div>
      )}
      {startsNew && (
        <div className="new-line">
          <span>{texts.messages.newLine}</span>
        </div>
      )}
      <article
        className={classes.join(" ")}
        data-id={isGrowing ? undefined : message.id}
        aria-busy={isGrowing || undefined}
        // A tab stop on the way to the message's buttons.
        tabIndex={isStop ? 0 : -1}
        aria-label={texts.messages.from(sender, clockOf(message.created_at))}
        onKeyDown={keyed}
        {...longPress}
        onPointerEnter={hover(true)}
        onPointerMove={(event) => {
          longPress.onPointerMove(event);
          // The row may have moved under the pointer while another row's menu was open.
          hover(true)(event);
        }}
        onPointerLeave={hover(false)}
        onFocus={() => onActive(message.id, true)}
        onBlur={blurred}
      >
        {channelSession.rootId === null && message.thread_root_id !== null && (
          <InThread message={message} isStop={isActive || isStop} />
        )}
        {message.reply_to_id !== null && (
          <Quote
            message={message}
            answeredId={message.reply_to_id}
            channelSession={channelSession}
            isStop={isActive || isStop}
          />
        )}
        {isContinued ? (
          <Time message={message} isShort />
        ) : (
          <>
            <Sender message={message} isStop={false} isPicture>
              <Avatar name={sender} isAgent={isAgent || isWebhook} />
            </Sender>
            <header className="head">
              <Sender message={message} isStop={isActive || isStop}>
                <Name name={sender} isAgent={isAgent} isWebhook={isWebhook} />
              </Sender>
              {isGrowing ? (
                <>
                  <bdi className="mark growing-status">{row.status ?? texts.messages.writing}</bdi>
                  {self !== null && <StopGrowing message={message} channelSession={channelSession} />}
                </>
              ) : (
                <Time message={message} />
              )}
              {message.is_pinned && <span className="mark">{texts.messages.pinned}</span>}
            </header>
          </>
        )}
        <div className="message-body">
          {editing === message.id ? (
            <EditForm message={message} channelSession={channelSession} />
          ) : (
            <MentionCards message={message} isStop={isActive || isStop}>
              <Content
                message={message}
                isSource={isSource}
                isGrowing={isGrowing}
                isOpen={isGrowing || isFound}
                isStop={isActive || isStop}
                unfolded={channelSession.unfolded}
              />
            </MentionCards>
          )}
          {isContinued && message.is_pinned && <span className="mark">{texts.messages.pinned}</span>}
          {message.expires_at !== null && !message.is_deleted && <ExpiryMark at={message.expires_at} />}
          {!isGrowing && !message.is_deleted && <SavedMark messageId={message.id} />}
          {!isGrowing && <Reactions message={message} />}
          {channelSession.rootId === null && <ThreadLine message={message} isStop={isActive || isStop} />}
        </div>
        {isActive && !message.is_deleted && editing !== message.id && (
          <MessageActions message={message} channelSession={channelSession} />
        )}
      </article>
      {message.id === channelSession.rootId && <RepliesDivider root={message} />}
    </>
  );
});

function Time({ message, isShort = false }: { message: ChatMessage; isShort?: boolean }) {
  return (
    <a className="time" href={messageHref(message)} tabIndex={-1}>
      <time dateTime={message.created_at} title={momentOf(message.created_at)}>
        {(isShort ? shortClockOf : clockOf)(message.created_at)}
      </time>
    </a>
  );
}
