import type { MessageRow } from "../../event-log/message-json.ts";
import type { ExportWork } from "../export-work.ts";
import type { ExportChannel } from "../read/channels.ts";
import { messagesAfter, messagesOf } from "../read/messages.store.ts";
import { type Exported, exportedOf, PAGE_ROWS } from "../read/messages.ts";
import type { FileQueue } from "../target/file-queue.ts";
import { JsonList } from "./json-list.ts";
import { messageJson, uploadPath } from "./message-json.ts";
import { channelId } from "./slack-ids.ts";
import { dayOf, SlackTimes } from "./slack-times.ts";

/** A pinned message, as the list of channels names it. */
export interface Pin {
  readonly id: string;
  readonly type: "C";
  readonly created: number;
}

/** Writes the messages of a channel, a file for each day, and returns the pins. */
export async function writeMessages(
  work: ExportWork,
  channel: ExportChannel,
  folder: string,
  queue: FileQueue,
): Promise<Pin[]> {
  const times = new SlackTimes();
  const pins: Pin[] = [];
  let day: { name: string; list: JsonList } | undefined;
  for (let seq = 0; ; ) {
    const rows = await messagesAfter(work.db, channel.id, seq, PAGE_ROWS);
    // Every message takes its place, so that another choice of messages gives them the same times.
    const places = new Map(rows.map((row) => [row.id, times.next(row)]));
    const exported = await exportedOf(work, rows);
    const roots = await rootsOf(work, exported);
    for (const each of exported) {
      const ts = places.get(each.row.id) ?? times.of(each.row);
      const name = dayOf(ts);
      if (day?.name !== name) {
        await day?.list.end();
        day = { name, list: await JsonList.begin(work.target, `${folder}/${name}.json`) };
      }
      await day.list.add(messageJson(work, each, { ts, threadTs: threadTs(each, roots, times) }));
      if (each.sender === null) continue;
      if (each.row.pinned_at !== null)
        pins.push({ id: ts, type: "C", created: Math.floor(each.row.pinned_at / 1_000) });
      for (const file of each.files) await queue.add({ path: uploadPath(file), file });
    }
    if (rows.length < PAGE_ROWS) break;
    seq = rows.at(-1)?.seq ?? seq;
  }
  await day?.list.end();
  return pins;
}

async function rootsOf(work: ExportWork, exported: readonly Exported[]): Promise<Map<number, MessageRow>> {
  const ids = exported.flatMap(({ row }) => row.thread_root_id ?? []);
  return new Map((await messagesOf(work.db, [...new Set(ids)])).map((row) => [row.id, row]));
}

function threadTs({ row }: Exported, roots: ReadonlyMap<number, MessageRow>, times: SlackTimes): string | null {
  const root = row.thread_root_id === null ? undefined : roots.get(row.thread_root_id);
  return root === undefined ? null : times.of(root);
}

/** Returns the folder in which Slack has the messages of a conversation. */
export function folderOf(channel: ExportChannel, name: string): string {
  return channel.kind === "direct" ? channelId(channel) : name;
}
