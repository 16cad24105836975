import type { Millis } from "../../../db/columns.ts";
import type { Archive } from "../../archive/archive.ts";
import { quoted } from "../../archive/entry-names.ts";
import { type JsonDocument, type JsonPath, readJsonDocument } from "../../archive/json-document.ts";
import { SourceError } from "../../source.ts";
import { type Fields, fieldsOf, textOf } from "../fields.ts";
import { isoTime } from "../iso-time.ts";
import { isDiscordFile } from "./file-names.ts";
import { idOf } from "./snowflake.ts";

/** A file of DiscordChatExporter: a channel or thread, or a part of it. */
export interface ExportFile {
  readonly name: string;
  readonly size: number;
  readonly guild: { readonly id: string; readonly name: string };
  readonly channel: ExportedChannel;
  /** True if somebody exported only the messages of some days. */
  readonly isPartOfTime: boolean;
  readonly exportedAt: Millis;
}

/** A channel or thread, as its file describes it. */
export interface ExportedChannel {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly topic: string;
  /** The category of a channel, or the channel of a thread. */
  readonly parent: { readonly id: string; readonly name: string };
}

const NAME_MAX = 200;
const TOPIC_MAX = 2_000;
/** Other JSON files that are looked at before an archive is none of DiscordChatExporter's. */
const OTHERS_MAX = 500;
const FILES_MAX = 200_000;
/** The beginning of a file that says of which channel it is. */
const HEAD_MAX = 1024 * 1024;
/** Where DiscordChatExporter puts the files of messages. Some of these are JSON, too. */
const MEDIA = /\.json_Files\//;

/** Returns the files of the export, the newest first, so that what they say of one thing is the newest. */
export async function exportFiles(archive: Archive): Promise<ExportFile[]> {
  const files: ExportFile[] = [];
  let others = 0;
  for (const { name, size } of archive.under("")) {
    if (!name.endsWith(".json") || MEDIA.test(name)) continue;
    const file = await fileOf(archive, name, size);
    if (file !== null) files.push(file);
    else others += 1;
    if (files.length > FILES_MAX) throw new SourceError(`${archive.path} has more than 200,000 files of channels.`);
    if (files.length === 0 && others > OTHERS_MAX) return [];
  }
  return files.sort((one, other) => other.exportedAt - one.exportedAt);
}

/** Reads a file. Its messages are values of their own. */
export const readFile = (archive: Archive, name: string): JsonDocument =>
  readJsonDocument(archive.read(name), placeOf(archive, name), hasParts);

const hasParts = (path: JsonPath): boolean => path.length === 0 || (path.length === 1 && path[0] === "messages");
const placeOf = (archive: Archive, name: string): string => `${archive.path}: ${quoted(name)}`;

/** Reads the beginning of a file; null if it is another one. */
async function fileOf(archive: Archive, name: string, size: number): Promise<ExportFile | null> {
  const head: Record<string, unknown> = {};
  try {
    for await (const some of readJsonDocument(beginning(archive, name), placeOf(archive, name), hasParts).values) {
      const own = some.findIndex(({ path }) => path.length !== 1);
      for (const { path, value } of own < 0 ? some : some.slice(0, own)) head[String(path[0])] = value;
      if (own >= 0) break;
    }
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    // The beginning of a large file is cut off, and says enough. A damaged one is so again when all of it is read.
    const saysEnough = head.guild !== undefined && head.channel !== undefined;
    if (!saysEnough && isDiscordFile(name.split("/").at(-1) ?? "")) throw error;
  }
  const [guild, channel, range] = [fieldsOf(head.guild), fieldsOf(head.channel), fieldsOf(head.dateRange) ?? {}];
  if (guild === undefined || channel === undefined || idOf(channel, "id") === "") return null;
  return {
    name,
    size,
    guild: { id: idOf(guild, "id") || "0", name: shortOf(guild, "name") },
    channel: channelOf(channel),
    isPartOfTime: textOf(range, "after") !== "" || textOf(range, "before") !== "",
    exportedAt: isoTime(head.exportedAt, "UTC") ?? 0,
  };
}

const channelOf = (channel: Fields): ExportedChannel => ({
  id: idOf(channel, "id"),
  type: shortOf(channel, "type"),
  name: shortOf(channel, "name"),
  topic: shortOf(channel, "topic", TOPIC_MAX),
  parent: { id: idOf(channel, "categoryId"), name: shortOf(channel, "category") },
});

/** A slice keeps the whole text in memory, so it is copied. */
const shortOf = (fields: Fields, name: string, max = NAME_MAX): string =>
  Buffer.from(textOf(fields, name).slice(0, max)).toString();

async function* beginning(archive: Archive, name: string): AsyncGenerator<Uint8Array> {
  let read = 0;
  for await (const chunk of archive.read(name)) {
    yield chunk;
    read += chunk.length;
    if (read > HEAD_MAX) return;
  }
}
