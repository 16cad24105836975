import type { Clock } from "../../../clock.ts";
import type { Archive } from "../../archive/archive.ts";
import type { Item, OpenSource, SourceMessage } from "../../source.ts";
import { archiveFile, bytesOfFiles } from "../archive-file.ts";
import { dayFiles, findLayout, type Layout, otherFolders, readList } from "./layout.ts";
import { type Room, readChannels, readRooms } from "./slack-channels.ts";
import { lacksOf } from "./slack-lacks.ts";
import { messageItems, type Reading } from "./slack-messages.ts";
import { Senders } from "./slack-senders.ts";
import { type Directory, readDirectory, readUsers } from "./slack-users.ts";
import type { SlackNames } from "./text/references.ts";

/** Comments on canvases, which Slack exports as conversations. */
const CANVAS = /^FC[:_]/;

/** Opens Slack's export: its own ZIP, also with the files that slack-advanced-exporter or slackdump add (`Format.open`). */
export async function openSlack(archive: Archive, clock: Pick<Clock, "now">): Promise<OpenSource | null> {
  const layout = findLayout(archive);
  if (layout === undefined) return null;
  const directory = await readDirectory(layout);
  const rooms = await readRooms(layout);
  const names = namesOf(directory, rooms);
  let senders = new Senders(layout, directory);
  return {
    format: "slack",
    workspace: { id: directory.teamId, name: nameOf(archive, directory) },
    fingerprint: archive.fingerprint,
    recordBytes: bytesOfFiles(archive, (name) => name.endsWith(".json")),
    lacks: lacksOf(layout, directory, rooms),
    users: () => readUsers(layout),
    channels: () => readChannels(layout, names, clock.now()),
    messages(channelIds) {
      senders = new Senders(layout, directory);
      return readMessages(layout, rooms, channelIds, { names, senders, now: clock.now() });
    },
    strangers: () => senders.strangers,
    get replacedCharacters() {
      return layout.replaced;
    },
    file: async (path) => archiveFile(archive, path),
    [Symbol.asyncDispose]: () => archive[Symbol.asyncDispose](),
  };
}

function namesOf({ names }: Directory, rooms: readonly Room[]): SlackNames {
  const channels = new Map(rooms.map(({ id, name }) => [id, name]));
  return {
    person: (id) => names.get(id) ?? (id === "USLACKBOT" ? "slackbot" : undefined),
    channel: (id) => channels.get(id),
  };
}

/** Slack names its file after the workspace: `Acme Slack export Mar 1 2024 - Apr 1 2024.zip`. */
const nameOf = ({ path }: Archive, { teamId }: Directory): string =>
  /([^/\\]+?) Slack export /.exec(path)?.[1] ?? teamId;

type Shared = Pick<Reading, "names" | "senders" | "now">;

async function* readMessages(
  layout: Layout,
  rooms: readonly Room[],
  channelIds: ReadonlySet<string> | undefined,
  shared: Shared,
): AsyncGenerator<Item<SourceMessage>> {
  for (const room of rooms) {
    if (channelIds?.has(room.id) !== false) yield* readRoom(layout, room, shared);
  }
  for (const folder of otherFolders(layout, new Set(rooms.map((room) => room.folder)))) {
    yield* unlisted(layout, folder);
  }
}

async function* readRoom(layout: Layout, room: Room, shared: Shared): AsyncGenerator<Item<SourceMessage>> {
  const reading: Reading = { layout, room, ...shared, pins: new Set(room.pins), count: 0 };
  for (const file of dayFiles(layout, room.folder)) {
    let index = 0;
    for await (const value of readList(layout, file)) {
      yield* messageItems(reading, value, `${file}#${index}`);
      index += 1;
    }
  }
  for (const pin of reading.pins) {
    yield { leftOut: { kind: "pin", reason: "message_missing", example: `${room.id}/${pin.slice(0, 32)}` } };
  }
}

/** Leaves out the messages of a folder that is in no list: nobody knows who may read them. */
async function* unlisted(layout: Layout, folder: string): AsyncGenerator<Item<SourceMessage>> {
  const isCanvas = CANVAS.test(folder);
  let isFirst = true;
  for (const file of dayFiles(layout, folder)) {
    if (isFirst) yield { leftOut: { kind: "channel", reason: isCanvas ? "canvas" : "not_listed", example: folder } };
    if (isCanvas) return;
    isFirst = false;
    let index = 0;
    for await (const _ of readList(layout, file)) {
      yield { leftOut: { kind: "message", reason: "channel_missing", example: `${file}#${index}` } };
      index += 1;
    }
  }
}
