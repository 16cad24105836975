import type { Interaction } from "@parley/protocol/cards";
import type { Authority } from "@parley/protocol/envelope";
import type { FileRecord } from "@parley/protocol/files";
import type { Forwarded } from "@parley/protocol/forwarded";
import type { InboxItem, ReactionChange } from "@parley/protocol/inbox";
import type { ChatMessage, PendingMention } from "@parley/protocol/models";
import { counted } from "../../base/counted.ts";
import { activityLine, answerLine, cardLines, previewLines, transcriptLine } from "./card-lines.ts";
import { quoted } from "./visible-text.ts";

/** A message as an agent reads it. */
export interface Spoken {
  id: number;
  /** null for what is not in a channel's log. */
  seq: number | null;
  /** The item of the agent's inbox that the message is in. */
  itemId?: number;
  at: string;
  /** `user`, `agent`, `system` or `webhook`. */
  kind: string;
  name: string;
  /** null for what the server itself says. */
  authority: Authority | null;
  /** True if it mentions the reading agent, answers it, or is in a direct conversation with it. */
  toYou: boolean;
  replyTo: number | null;
  /** The message that began the thread in which it is said; null in the channel itself. */
  thread: number | null;
  editedAt: string | null;
  /** The webhook that brought the message. */
  via?: string;
  isPinned?: boolean;
  /** The kinds of reactions that others gave, with their numbers. */
  reactions?: string;
  type: ChatMessage["type"] | "notice" | "file" | "press" | "decision" | "reaction";
  text: string;
  /** The channel's slug, if the block has messages of several channels. */
  channel: string | null;
}

/** The facts that the reading agent should know about a speaker. */
export interface Seen {
  authority: Authority;
  toYou: boolean;
}

export function spokenMessage(message: ChatMessage, { authority, toYou }: Seen): Spoken {
  return {
    id: message.id,
    seq: message.seq,
    at: message.created_at,
    kind: message.sender_type,
    name: message.username ?? message.agent_name ?? message.webhook_name ?? "system",
    authority,
    toYou,
    replyTo: message.reply_to_id,
    thread: message.thread_root_id,
    editedAt: message.edited_at,
    ...viaOf(message.sender_type, message.webhook_name),
    ...addedTo(message),
    type: message.type,
    text: textOf(message),
    channel: null,
  };
}

export function spokenMention(mention: Omit<PendingMention, "rendered">): Spoken {
  return {
    id: mention.message_id,
    seq: mention.seq,
    itemId: mention.mention_id,
    at: mention.created_at,
    kind: mention.sender_type,
    name: mention.sender_name,
    authority: mention.authority,
    toYou: true,
    replyTo: null,
    thread: mention.thread_root_id,
    editedAt: null,
    ...viaOf(mention.sender_type, mention.sender_name),
    type: "text",
    text: saidIn(mention, []),
    channel: mention.channel_slug,
  };
}

const viaOf = (senderType: string, name: string | undefined): Pick<Spoken, "via"> =>
  senderType === "webhook" && name !== undefined ? { via: name } : {};

/**
 * An answer to the agent's own card, as the server tells it. Names are fenced and quoted; what an answer allows is decided by
 * the card, not by a text.
 */
export function spokenAnswer({ item_id, kind, channel_slug, created_at }: InboxItem, interaction: Interaction): Spoken {
  return {
    ...spokenNotice(item_id, created_at, answerLine(interaction)),
    type: kind === "press" ? "press" : "decision",
    channel: channel_slug,
  };
}

/** A reaction to a message of the agent, as the server tells it. */
export function spokenReaction(
  { item_id, channel_slug, created_at }: InboxItem,
  { username, reaction, added }: ReactionChange,
  { id }: ChatMessage,
): Spoken {
  const who = username === null ? "Somebody" : quoted(username);
  const text = `${who} ${added ? "reacted with" : "took back the reaction"} ${quoted(reaction)} ${added ? "to" : "from"} your message ${id}.`;
  return { ...spokenNotice(item_id, created_at, text), type: "reaction", channel: channel_slug };
}

/** A notice of the server about the agent itself. */
export function spokenNotice(itemId: number, at: string, text: string): Spoken {
  return {
    id: itemId,
    seq: null,
    itemId,
    at,
    kind: "system",
    name: "server",
    authority: null,
    toYou: true,
    replyTo: null,
    thread: null,
    editedAt: null,
    type: "notice",
    text,
    channel: null,
  };
}

/** Returns what others added to a message. It belongs into the opening line: its speaker did not say it, and cannot forge it. */
function addedTo({ is_deleted, is_pinned, reactions }: ChatMessage): Pick<Spoken, "isPinned" | "reactions"> {
  if (is_deleted) return {};
  const kinds = reactions.map(({ reaction, count }) => `${reaction} ${count}`).join(", ");
  return { isPinned: is_pinned, ...(kinds === "" ? {} : { reactions: kinds }) };
}

/**
 * Describes what a message carries besides its text in lines of their own before it: text models see no pictures.
 */
function textOf({
  is_deleted,
  content,
  sticker,
  packet_id,
  files,
  components,
  interaction,
  activity,
  forwarded,
  previews = [],
}: ChatMessage): string {
  if (is_deleted) return "(deleted)";
  const carried = [
    ...(sticker === null ? [] : [`(sticker ${quoted(sticker.sticker_name)})`]),
    ...(packet_id === null ? [] : [`(red packet ${packet_id})`]),
  ];
  const card = components === undefined ? [] : cardLines(components, interaction);
  const did = activity === undefined ? [] : [activityLine(activity)];
  return [saidIn({ content, files, forwarded }, carried), ...previewLines(previews), ...did, ...card].join("\n");
}

/** Returns a message's text below what it carries. Of a forwarded message, the files are the source's as its text is. */
function saidIn(
  { content, files, forwarded }: { content: string; files: readonly FileRecord[]; forwarded?: Forwarded | undefined },
  carried: readonly string[],
): string {
  const lines = files.map((file) => fileLine(file, forwarded !== undefined));
  return forwarded === undefined
    ? linesOf([...carried, ...lines], content)
    : linesOf(carried, foreign(content, forwarded, lines));
}

/** Returns the text of a forwarded message, with a line that says whose words follow the sender's own. */
function foreign(content: string, forwarded: Forwarded, files: readonly string[]): string {
  const { is_copy, username, agent_name, webhook_name, created_at, comment_length } = forwarded;
  const name = username ?? agent_name ?? webhook_name;
  const from = name === null ? "" : ` from ${quoted(name)}`;
  const at = created_at === null ? "" : `, sent at ${created_at}`;
  const line = is_copy
    ? `(forwarded${from}${at}: what follows was not written by the sender)`
    : "(forwarded: its text is not in this message)";
  return linesOf(
    [...(comment_length === 0 ? [] : [content.slice(0, comment_length)]), line, ...files],
    content.slice(comment_length).trimStart(),
  );
}

const linesOf = (carried: readonly string[], content: string): string =>
  [...carried, ...(content === "" ? [] : [content])].join("\n");

/** Names a file; the agent decides whether it fetches what somebody else put into it. */
function fileLine(file: FileRecord, isForwarded: boolean): string {
  const { name, mime_type, size_bytes, alt_text, url, voice } = file;
  const kind = voice === undefined ? "file" : "voice note";
  const length = voice === undefined ? "" : ` of ${counted(Math.ceil(voice.duration_ms / 1_000), "second")}`;
  const described = alt_text === null ? "" : ` described as ${quoted(alt_text)}`;
  const line = `(${kind} ${quoted(name)} ${mime_type} ${counted(size_bytes, "byte")}${length}${described} at ${url})`;
  return voice?.transcript == null ? line : `${line}\n${transcriptLine(voice.transcript, isForwarded)}`;
}
