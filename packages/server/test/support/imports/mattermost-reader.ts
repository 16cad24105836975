import { join } from "node:path";
import type { OpenSource, SourceMessage } from "../../../src/imports/source.ts";
import { mattermost } from "../../../src/imports/sources/mattermost/format.ts";
import { temporaryFolder } from "../config.ts";
import {
  BEGIN,
  channelLine,
  DAY,
  type MattermostExport,
  postLine,
  teamLine,
  userLine,
  versionLine,
  writeMattermostZip,
} from "./mattermost-export.ts";
import { openExportAt } from "./open-export.ts";
import { all, reasons, taken } from "./slack-reader.ts";

export const folder = temporaryFolder();
export const NOW = BEGIN + 30 * DAY;

let written = 0;
/** Writes an export as a ZIP, and opens it. */
export async function openExport(files: MattermostExport): Promise<OpenSource> {
  written += 1;
  return openExportAt(await writeMattermostZip(join(folder, `${written}.zip`), files), mattermost, NOW);
}

/** The lines before messages: one team with ada, ben and the channels general and random. */
export const HEAD: readonly unknown[] = [
  versionLine(),
  teamLine("core"),
  channelLine("core", "general"),
  channelLine("core", "random"),
  userLine("ada", { core: ["general"] }),
  userLine("ben", { core: ["general"] }),
];

/** Reads the messages of an export that has these lines after the usual ones. */
export async function messagesOf(lines: readonly unknown[], more: MattermostExport = {}) {
  await using source = await openExport({ "import.jsonl": [...HEAD, ...lines], ...more });
  const items = await all(source.messages());
  return { messages: taken(items), leftOut: reasons(items), strangers: [...source.strangers()] };
}

/** Reads the only message of an export that has a post with these fields. */
export async function oneOf(message: string, fields: Record<string, unknown> = {}): Promise<SourceMessage> {
  const { messages } = await messagesOf([postLine("general", "ada", 1, message, fields)]);
  const [one] = messages;
  if (one === undefined || messages.length > 1) throw new Error(`there are ${messages.length} messages`);
  return one;
}
