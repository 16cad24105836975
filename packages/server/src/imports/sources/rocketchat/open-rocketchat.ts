import type { Clock } from "../../../clock.ts";
import type { Archive } from "../../archive/archive.ts";
import type { Item, OpenSource, SourceMessage } from "../../source.ts";
import { archiveFile, bytesOfFiles, streamOf } from "../archive-file.ts";
import { GridFiles } from "./grid-files.ts";
import { fileOf, findLayout, readCollection } from "./layout.ts";
import { RocketChatIndex } from "./rocketchat-index.ts";
import { readChannels, readEmoji, readUsers } from "./rocketchat-lists.ts";
import { messageItems, type Reading } from "./rocketchat-messages.ts";
import { type Dump, readServer } from "./rocketchat-server.ts";

const RECORDS = /(?:^|\/)(?:users|rocketchat_(?:message|room|subscription|uploads))\.bson$/;
const PACKED = /(?:^|\/)(?:users|rocketchat_(?:message|room|subscription|uploads))\.bson\.gz$/;

/** Opens a dump of Rocket.Chat's database (`Format.open`). */
export async function openRocketChat(archive: Archive, clock: Pick<Clock, "now">): Promise<OpenSource | null> {
  const layout = findLayout(archive);
  if (layout === undefined) return null;
  const [index, grid] = [new RocketChatIndex(), new GridFiles(layout)];
  const close = async (): Promise<void> => {
    index[Symbol.dispose]();
    await grid[Symbol.asyncDispose]();
  };
  try {
    await grid.read();
    const server = await readServer(layout, index);
    return sourceOf(archive, { layout, server, index, grid }, clock.now(), close);
  } catch (error) {
    await close();
    throw error;
  }
}

function sourceOf(archive: Archive, dump: Dump, now: number, close: () => Promise<void>): OpenSource {
  const reading: Reading = { dump, now, strangers: new Map(), count: 0 };
  return {
    format: "rocketchat",
    workspace: { id: dump.server.id, name: dump.server.name },
    fingerprint: archive.fingerprint,
    recordBytes:
      bytesOfFiles(archive, (name) => RECORDS.test(name)) +
      // Records unpack to several times their size.
      bytesOfFiles(archive, (name) => PACKED.test(name)) * 8,
    lacks: lacksOf(dump),
    users: () => readUsers(dump),
    channels: () => readChannels(dump, now),
    emoji: () => readEmoji(dump),
    messages(channelIds) {
      reading.strangers.clear();
      reading.count = 0;
      return readMessages(reading, (room) => channelIds?.has(room) !== false);
    },
    strangers: () => reading.strangers.values(),
    get replacedCharacters() {
      return dump.layout.replaced;
    },
    async file(path) {
      const bytes = dump.grid.bytes(path);
      return bytes === null ? archiveFile(archive, path) : streamOf(bytes);
    },
    async [Symbol.asyncDispose]() {
      await close();
      await archive[Symbol.asyncDispose]();
    },
  };
}

async function* readMessages(
  reading: Reading,
  isWanted: (room: string) => boolean,
): AsyncGenerator<Item<SourceMessage>> {
  for await (const value of readCollection(reading.dump.layout, "rocketchat_message", true))
    yield* messageItems(value, `rocketchat_message.bson#${reading.count}`, reading, isWanted);
}

/** Returns what a dump does not have, and how `mongodump` gives it, as sentences. */
function lacksOf({ layout, server, index }: Dump): string[] {
  const hasFiles = fileOf(layout, "rocketchat_uploads.chunks") !== null || hasUploads(layout);
  return [
    ...(hasFiles ? [] : [FILES]),
    ...(index.hasMembers ? [] : [MEMBERS]),
    ...(server.hasAddresses ? [] : [ADDRESSES]),
  ];
}

const hasUploads = ({ archive, root }: Dump["layout"]): boolean =>
  archive.under(`${root}uploads/`)[Symbol.iterator]().next().done !== true;

const FILES =
  "The dump has no files. If the server keeps them in its database, dump it with rocketchat_uploads.files and rocketchat_uploads.chunks; if it keeps them in a folder, copy that into the dump as uploads/.";
const MEMBERS = "The dump has no members of channels. Dump the database with rocketchat_subscription.";
const ADDRESSES = "The dump has no e-mail addresses. users.csv takes them by hand.";
