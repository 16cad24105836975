import type { Archive } from "../../archive/archive.ts";
import type { ExportFile } from "./export-files.ts";
import type { Rooms } from "./rooms.ts";
import type { Survey } from "./survey.ts";

/** Returns what an export does not have, and how DiscordChatExporter gives it, as sentences. */
export function lacksOf(archive: Archive, files: readonly ExportFile[], { rooms, threads }: Rooms, survey: Survey) {
  const all = [...rooms.values()];
  const isClosed = all.some(({ kind }) => kind === "private");
  const hasGuild = all.some(({ kind }) => kind === "private" || kind === "public");
  const hasMedia = archive.bytes > files.reduce((sum, { size }) => sum + size, 0);
  return [
    ...(isClosed ? [READERS] : []),
    ...(hasGuild && threads.size === 0 ? [THREADS] : []),
    ...(survey.hasFiles && !hasMedia ? [MEDIA] : []),
    ...(hasMedia && survey.emoji.size > 0 ? [] : [EMOJI]),
    ...(files.some(({ isPartOfTime }) => isPartOfTime) ? [TIME] : []),
    ADDRESSES,
  ];
}

const READERS =
  "The export does not say who may read a channel. Channels are private, with those who wrote in them, unless --open names them.";
const THREADS =
  "The export has no threads. DiscordChatExporter exports them with --include-threads All, posts of forums, too.";
const MEDIA =
  "The export has only links to files, which Discord ends after a day. Export again with --media, which adds the files.";
const EMOJI =
  "The export has no pictures of custom emoji. They stay in texts as :name:, and become reactions of that name.";
const TIME = "Some files have only the messages of some days. Without --after and --before, an export has all.";
const ADDRESSES = "The export has no e-mail addresses. users.csv takes them by hand.";
