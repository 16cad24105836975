import type { FileRecord } from "@parley/protocol/files";
import type { HistoryRow } from "../../event-log/history.ts";
import type { Batch } from "./message-rows.ts";
import type { PrintedText } from "./text.ts";

/** Files of one message at most. */
export const FILES_MAX = 10;

/** Returns as many parts as have ids. Texts beyond them are joined; files that have no part with text get an empty one. */
export function joined(parts: readonly PrintedText[], planned: number, files: number): PrintedText[] {
  const wanted = Math.min(planned, Math.max(parts.length, Math.ceil(files / FILES_MAX), 1));
  const kept = parts.slice(0, wanted);
  const rest = parts.slice(wanted);
  const last = kept.at(-1);
  if (last !== undefined && rest.length > 0)
    kept[kept.length - 1] = { ...last, content: [last, ...rest].map(({ content }) => content).join("\n") };
  while (kept.length < wanted) kept.push({ content: "", mentions: [] });
  return kept;
}

/** Gives each row the files that it may have; the last one has all others. Returns which message has which. */
export function giveFiles(rows: readonly HistoryRow[], records: readonly FileRecord[]): Batch["files"] {
  return rows.flatMap((row, at) => {
    const end = at === rows.length - 1 ? records.length : (at + 1) * FILES_MAX;
    const own = records.slice(at * FILES_MAX, end);
    if (own.length === 0) return [];
    row.files = JSON.stringify(own);
    const place = { message_id: row.id, channel_id: row.channel_id, uploader_name: row.sender_name };
    return [{ ids: own.map(({ file_id }) => file_id), ...place }];
  });
}
