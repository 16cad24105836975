import type { ChatMessage } from "@parley/protocol/models";
import type { ReactNode } from "react";
import { useCatchUpTexts } from "../i18n/hooks/use-catch-up-texts.ts";
import { useForwardsTexts } from "../i18n/hooks/use-forwards-texts.ts";
import { useMessageActsTexts } from "../i18n/hooks/use-message-acts-texts.ts";
import { useReminderTexts } from "../i18n/hooks/use-reminder-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import type { Conversation } from "../model/conversation.ts";
import { actorOf } from "../model/sender.ts";
import { BlockButton } from "../people/block-button.tsx";
import { SaveLabel } from "../saved/save-label.tsx";
import { useParley, useSelf } from "../session/parley-context.ts";
import { useModerates } from "../session/use-moderates.ts";
import { messageHref } from "../state/route.ts";
import { useStore } from "../state/store.ts";
import type { MessageAct } from "../ui/shortcuts.ts";
import { ACTS, act } from "./message-acts.ts";
import { deletionsOf } from "./undo/deletions.ts";

interface EntryProps {
  message: ChatMessage;
  close(): void;
}

interface Props extends EntryProps {
  channelSession: Conversation;
  children?: ReactNode;
}

/** The list of everything else that can be done with a message; `children` come first. */
export function MessageMenu({ message, channelSession, close, children }: Props) {
  const { isOwn, mayPin, mayDelete } = useRights(message);
  const { messages: texts, threads, markdown } = useTexts();
  const { unreadFrom } = useCatchUpTexts();
  const { forward } = useForwardsTexts();
  const { remind } = useReminderTexts();
  const self = useSelf();
  const isSource = useStore(channelSession.composeState.source) === message.id;
  const entry = (name: MessageAct, label: ReactNode) => (
    <ActEntry {...{ name, message, channelSession, close }}>{label}</ActEntry>
  );
  return (
    <div className="menu">
      {children}
      {self !== null && channelSession.rootId === null && entry("thread", threads.reply)}
      {entry("edit", texts.edit)}
      {entry("unread", unreadFrom)}
      {entry("save", <SaveLabel messageId={message.id} />)}
      {entry("forward", forward)}
      {entry("remind", remind)}
      {mayPin && <PinEntry message={message} close={close} />}
      <ReactionsEntry message={message} close={close} />
      <LinkEntry message={message} close={close} />
      <FileLinkEntries message={message} close={close} />
      {entry("source", isSource ? markdown.showFormatted : markdown.showSource)}
      {self !== null && !isOwn && <ReportEntries message={message} close={close} />}
      {mayDelete && <DeleteEntry message={message} close={close} />}
    </div>
  );
}

/** Returns what the user may do with a message; the server decides in the end. */
function useRights(message: ChatMessage) {
  const parley = useParley();
  const self = useSelf();
  const manages = useModerates(message.channel_id);
  const { channels } = useStore(parley.channels.view);
  const channel = channels.find(({ id }) => id === message.channel_id);
  const isOwn = self !== null && message.username === self;
  return {
    isOwn,
    mayPin: manages || (channel?.pin_policy === "members" && channel.my_role !== null),
    mayDelete: isOwn || manages,
  };
}

/** Returns a handler that closes the menu, and shows the error if what it starts fails. */
function useEntry(close: () => void) {
  const parley = useParley();
  return (what: () => Promise<unknown>) => () => {
    close();
    what().catch((error: unknown) => parley.showError(error));
  };
}

/** An act that has a key, too, where the page offers it. */
function ActEntry({ name, message, channelSession, close, children }: Props & { name: MessageAct }) {
  const parley = useParley();
  const self = useSelf();
  const entry = useEntry(close);
  if (!ACTS[name].may({ parley, message, self, channelSession })) return null;
  return (
    <button type="button" onClick={entry(() => act(name, { parley, message, self, channelSession }))}>
      {children}
    </button>
  );
}

function PinEntry({ message, close }: EntryProps) {
  const { messages } = useParley().client;
  const { messages: texts } = useTexts();
  const entry = useEntry(close);
  return (
    <button
      type="button"
      onClick={entry(() => (message.is_pinned ? messages.unpin(message.id) : messages.pin(message.id)))}
    >
      {message.is_pinned ? texts.unpin : texts.pin}
    </button>
  );
}

function ReactionsEntry({ message, close }: EntryProps) {
  const parley = useParley();
  const { finding: texts } = useTexts();
  const [first] = message.reactions;
  if (first === undefined) return null;
  const open = () => {
    close();
    parley.openDialog.set({ window: "reactions", message, reaction: first.reaction });
  };
  return (
    <button type="button" onClick={open}>
      {texts.reactions}
    </button>
  );
}

function LinkEntry({ message, close }: EntryProps) {
  const parley = useParley();
  const { messages: texts } = useTexts();
  const link = `${location.origin}/${messageHref(message)}`;
  const copy = useEntry(close)(async () => {
    await navigator.clipboard.writeText(link);
    parley.notices.say(texts.copied);
  });
  return (
    <button type="button" onClick={copy}>
      {texts.link}
    </button>
  );
}

/** A link for each file; only who may read the message can open it. */
function FileLinkEntries({ message, close }: EntryProps) {
  const parley = useParley();
  const { messages, files: texts } = useTexts();
  const entry = useEntry(close);
  const copy = async (url: string) => {
    await navigator.clipboard.writeText(new URL(url, location.origin).href);
    parley.notices.say(messages.copied);
  };
  return message.files.map(({ file_id, name, url }) => (
    <button key={file_id} type="button" className="file-link" onClick={entry(() => copy(url))}>
      {texts.copyLink(name)}
    </button>
  ));
}

function ReportEntries({ message, close }: EntryProps) {
  const parley = useParley();
  const { messages: texts } = useTexts();
  const actor = actorOf(message);
  const report = () => {
    close();
    parley.openDialog.set({ window: "report", message });
  };
  return (
    <>
      <button type="button" onClick={report}>
        {texts.report}
      </button>
      {actor !== null && <BlockButton {...actor} onPress={close} />}
    </>
  );
}

function DeleteEntry({ message, close }: EntryProps) {
  const parley = useParley();
  const self = useSelf();
  const { messages: texts } = useTexts();
  const acts = useMessageActsTexts();
  const isOwn = self !== null && message.username === self;
  const question = { title: acts.deleteTitle, text: acts.deleteSure, action: texts.delete };
  const remove = useEntry(close)(async () => {
    // One's own can be undone, so nothing is asked.
    const isConfirmed = isOwn || (await parley.confirm.ask(question));
    // The pressed button may have disappeared when the pointer moved, so return the focus to the message.
    document.querySelector<HTMLElement>(`[data-id="${message.id}"]`)?.focus();
    if (isOwn) deletionsOf(parley).start(message, self);
    else if (isConfirmed) await parley.live.command("message:delete", { message_id: message.id });
  });
  return (
    <button type="button" className="danger" onClick={remove}>
      {texts.delete}
    </button>
  );
}
