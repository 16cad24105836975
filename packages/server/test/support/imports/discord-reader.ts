import { join } from "node:path";
import type { OpenSource, SourceMessage } from "../../../src/imports/source.ts";
import { discord } from "../../../src/imports/sources/discord/format.ts";
import type { SourceOptions } from "../../../src/imports/sources/format.ts";
import { temporaryFolder } from "../config.ts";
import { BEGIN, fileOf, GENERAL } from "./discord-export.ts";
import { writeExportFolder } from "./export-files.ts";
import { openExportAt } from "./open-export.ts";
import { all, reasons, taken } from "./slack-reader.ts";

export const NOW = BEGIN + 30 * 24 * 60 * 60 * 1000;

/** Writes an export as a folder, and opens it. */
export async function openDiscordExport(
  files: Record<string, unknown>,
  open: SourceOptions["open"] = new Set(),
): Promise<OpenSource> {
  return openExportAt(await writeExportFolder(join(temporaryFolder(), "export"), files), discord, NOW, { open });
}

/** Reads the messages of one channel that has these records. */
export async function messagesIn(
  records: readonly unknown[],
  of: object = GENERAL,
  more: Record<string, unknown> = {},
) {
  await using source = await openDiscordExport({ "channel.json": fileOf({ ...of }, records), ...more });
  const channels = taken(await all(source.channels()));
  const items = await all(source.messages());
  return { channels, messages: taken(items), leftOut: reasons(items), strangers: [...source.strangers()], source };
}

/** Returns the only message that becomes of a record. */
export async function messageOf(record: object): Promise<SourceMessage> {
  const { messages } = await messagesIn([record]);
  const [message] = messages;
  if (message === undefined || messages.length > 1) throw new Error(`there are ${messages.length} messages`);
  return message;
}
