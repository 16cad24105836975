import { join } from "node:path";
import type { Item, OpenSource, SourceMessage } from "../../../src/imports/source.ts";
import { slack } from "../../../src/imports/sources/slack/format.ts";
import { temporaryFolder } from "../config.ts";
import { writeExportZip } from "./export-files.ts";
import { openExportAt } from "./open-export.ts";
import { BEGIN, DAY, dayOf, type SlackExport, slackChannel, slackUser } from "./slack-export.ts";

export const folder = temporaryFolder();
export const NOW = (BEGIN + 30 * DAY) * 1000;

let written = 0;
/** Writes an export as a ZIP, and opens it. */
export async function openExport(files: SlackExport, name?: string): Promise<OpenSource> {
  written += 1;
  return openExportAt(await writeExportZip(join(folder, name ?? `${written}.zip`), files), slack, NOW);
}

export const all = async <T>(items: AsyncIterable<Item<T>>): Promise<Item<T>[]> => Array.fromAsync(items);
export const taken = <T>(items: readonly Item<T>[]): T[] =>
  items.flatMap((each) => ("item" in each ? [each.item] : []));
export const reasons = (items: readonly Item<unknown>[]): string[] =>
  items.flatMap((each) =>
    "leftOut" in each ? [`${each.leftOut.kind} ${each.leftOut.reason} ${each.leftOut.example}`] : [],
  );

/** Reads the messages of one channel that has these records on one day. */
export async function messagesOf(records: readonly unknown[], more: SlackExport = {}, channel: object = {}) {
  await using source = await openExport({
    "users.json": [slackUser("U1", "ada"), slackUser("U2", "ben", { is_bot: true }, { bot_id: "B2" })],
    "channels.json": [slackChannel("C1", "general", ["U1"], { ...channel })],
    [`general/${dayOf(0)}`]: records,
    ...more,
  });
  const items = await all(source.messages());
  return { items, messages: taken(items), leftOut: reasons(items), strangers: [...source.strangers()] };
}

export async function oneOf(record: object, more: SlackExport = {}): Promise<SourceMessage> {
  const { messages } = await messagesOf([record], more);
  const [message] = messages;
  if (message === undefined || messages.length > 1) throw new Error(`there are ${messages.length} messages`);
  return message;
}
