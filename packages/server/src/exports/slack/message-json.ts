import { slackNameOf } from "../../imports/sources/emoji-names.ts";
import type { ExportWork } from "../export-work.ts";
import type { ExportFile } from "../read/files.ts";
import { diskName } from "../read/files.ts";
import type { AbsentRoot, Exported, ExportMessage } from "../read/messages.ts";
import type { Person } from "../read/people.ts";
import { excerptOf } from "../read/quote.ts";
import { encoded, mrkdwnOf } from "./mrkdwn.ts";
import { botId, slackId } from "./slack-ids.ts";
import { tsOfTime } from "./slack-times.ts";

/** Where a message is: its own ts, and that of its thread's root; null: it has no thread. */
export interface Place {
  readonly ts: string;
  readonly threadTs: string | null;
}

const SHORT = /^[a-z0-9_+-]+$/;

/** Returns the record of a message as Slack exports it. */
export function messageJson(work: ExportWork, exported: Exported, place: Place): object {
  const thread = threadOf(exported, place);
  return exported.sender === null
    ? { ...absentJson(exported), ...thread, ts: place.ts }
    : { ...said(work, exported, place), ...thread };
}

/** A message that is not there, but has replies. */
const absentJson = (_: AbsentRoot) => ({
  type: "message",
  subtype: "tombstone",
  user: "USLACKBOT",
  text: "This message was deleted.",
  hidden: true,
});

function threadOf({ replies }: Exported, { ts, threadTs }: Place): object {
  if (threadTs !== null) return { thread_ts: threadTs };
  return replies === 0 ? {} : { thread_ts: ts, reply_count: replies };
}

function said(work: ExportWork, message: ExportMessage, { ts, threadTs }: Place): object {
  const { row, sender, text, files } = message;
  const excerpt = excerptOf(message);
  return {
    type: "message",
    ...senderOf(sender),
    ...(threadTs !== null && row.also_in_channel === 1 ? { subtype: "thread_broadcast" } : {}),
    text: mrkdwnOf(text, work.people),
    ts,
    ...(excerpt === null ? {} : { attachments: [quoteOf(excerpt)] }),
    ...(row.edited_at === null ? {} : { edited: { user: slackId(sender), ts: tsOfTime(row.edited_at) } }),
    ...reactionsOf(work, message),
    ...(files.length === 0 ? {} : { files: files.map((file) => fileOf(file, sender, row.created_at)), upload: false }),
  };
}

/** A webhook has no account: only its messages name it. */
function senderOf(sender: Person): object {
  if (sender.kind === "user" || sender.kind === "deleted") return { user: slackId(sender) };
  const bot = { subtype: "bot_message", bot_id: botId(sender), username: sender.name };
  return sender.kind === "agent" ? { user: slackId(sender), ...bot } : bot;
}

/** As a message that somebody has shared. */
const quoteOf = ({ name, words }: { name: string; words: string }): object => ({
  is_share: true,
  is_msg_unfurl: true,
  author_name: name,
  text: encoded(words),
  fallback: encoded(words),
});

function reactionsOf({ tally }: ExportWork, { row, reactions }: ExportMessage): object {
  const list = reactions.flatMap(({ reaction, people }) => {
    const name = SHORT.test(reaction) ? reaction : slackNameOf(reaction);
    if (name !== undefined) return [{ name, users: people.map(({ person }) => slackId(person)), count: people.length }];
    tally.take("reactions", -people.length);
    tally.leaveOut({ kind: "reaction", reason: "no_name", example: String(row.id), times: people.length });
    return [];
  });
  return list.length === 0 ? {} : { reactions: list };
}

const fileId = (file: ExportFile): string => `F${file.id.toUpperCase().padStart(9, "0")}`;

/** Returns where the bytes of a file are in the export: as slack-advanced-exporter writes them. */
export const uploadPath = (file: ExportFile): string => `__uploads/${fileId(file)}/${diskName(file.name)}`;

const fileOf = (file: ExportFile, sender: Person, at: number): object => ({
  id: fileId(file),
  created: Math.floor(at / 1_000),
  timestamp: Math.floor(at / 1_000),
  name: diskName(file.name),
  title: file.name,
  mimetype: file.mimeType,
  filetype: file.name.split(".").at(-1)?.toLowerCase() ?? "",
  user: slackId(sender),
  mode: "hosted",
  is_external: false,
  size: file.size,
  ...(file.alt === null ? {} : { alt_txt: file.alt }),
});
