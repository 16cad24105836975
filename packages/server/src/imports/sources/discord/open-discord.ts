import type { Clock } from "../../../clock.ts";
import type { Millis } from "../../../db/columns.ts";
import type { Archive } from "../../archive/archive.ts";
import {
  type Item,
  type OpenSource,
  type SourceChannel,
  SourceError,
  type SourceMessage,
  type SourceUser,
} from "../../source.ts";
import { archiveFile } from "../archive-file.ts";
import type { SourceOptions } from "../format.ts";
import { checkOpen } from "../open-names.ts";
import { lacksOf } from "./discord-lacks.ts";
import { messageItems, type Reading } from "./discord-messages.ts";
import { type ExportFile, exportFiles, readFile } from "./export-files.ts";
import { openable, type Room, type Rooms, roomsOf } from "./rooms.ts";
import { timeOfId } from "./snowflake.ts";
import { type Author, type Survey, surveyOf } from "./survey.ts";
import type { DiscordNames } from "./text/references.ts";

/** The server of conversations, which is none. */
const NO_GUILD = "0";
const GONE = /^deleted[ _]user\b/i;

/** Opens what DiscordChatExporter wrote as JSON: channels, threads and conversations (`Format.open`). */
export async function openDiscord(
  archive: Archive,
  clock: Pick<Clock, "now">,
  open: SourceOptions["open"],
): Promise<OpenSource | null> {
  const files = await exportFiles(archive);
  if (files.length === 0) return null;
  const workspace = workspaceOf(archive, files);
  const rooms = roomsOf(files, open);
  checkOpen(open, openable(rooms), "channel");
  const survey = await surveyOf(archive, rooms);
  const names = namesOf(rooms, survey);
  const state = { replaced: 0 };
  let seen = new Set<string>();
  return {
    format: "discord",
    workspace,
    fingerprint: archive.fingerprint,
    recordBytes: files.reduce((sum, { size }) => sum + size, 0),
    lacks: lacksOf(archive, files, rooms, survey),
    hasUniqueIds: true,
    // All people are known from messages: those of channels that are not taken make no accounts.
    users: async function* () {},
    channels: async function* () {
      for (const room of rooms.rooms.values()) yield channelItem(room, clock.now());
    },
    emoji: async function* () {
      for (const item of survey.emoji.values()) yield { item };
    },
    messages(channelIds) {
      seen = new Set();
      const people = seen;
      return readMessages(archive, rooms, channelIds, state, (room, file) => ({
        archive,
        rooms,
        room,
        file,
        names,
        now: clock.now(),
        seen: (id) => people.add(id),
      }));
    },
    strangers: () => [...seen].flatMap((id) => userOf(survey.authors.get(id)) ?? []),
    get replacedCharacters() {
      return state.replaced;
    },
    file: async (path) => archiveFile(archive, path),
    [Symbol.asyncDispose]: () => archive[Symbol.asyncDispose](),
  };
}

/** Conversations belong to no server, and may be beside one. */
function workspaceOf(archive: Archive, files: readonly ExportFile[]): { id: string; name: string } {
  const guilds = new Map(files.map(({ guild }) => [guild.id, guild.name || guild.id]));
  const servers = [...guilds].filter(([id]) => id !== NO_GUILD);
  if (servers.length > 1) {
    const names = servers.slice(0, 5).map(([, name]) => JSON.stringify(name));
    throw new SourceError(
      `${archive.path} has the channels of ${servers.length} servers (${names.join(", ")}). Put those of each into a folder of its own, and import one at a time.`,
    );
  }
  const [[id, name] = [NO_GUILD, "Direct Messages"]] = servers;
  return { id, name };
}

function namesOf({ rooms, threads }: Rooms, { authors, roles }: Survey): DiscordNames {
  const byName = new Map<string, string | undefined>();
  for (const { id, name, kind } of rooms.values()) {
    if (kind === "public" || kind === "private") byName.set(name, byName.has(name) ? undefined : id);
  }
  return {
    person(id) {
      const author = authors.get(id);
      return author === undefined ? undefined : author.nickname || author.name;
    },
    role: (id) => roles.get(id),
    channel: (id) => rooms.get(id)?.name ?? threads.get(id)?.name,
    channelNamed: (name) => byName.get(name),
    target(channelId, messageId) {
      const thread = threads.get(channelId);
      if (thread !== undefined) return { channelId: thread.roomId, messageId: messageId ?? thread.rootId };
      return rooms.has(channelId) ? { channelId, messageId } : undefined;
    },
  };
}

function channelItem(room: Room, now: Millis): Item<SourceChannel> {
  const { id, name, topic, kind, memberIds } = room;
  if (room.isVoice && !room.hasMessages) return { leftOut: { kind: "channel", reason: "voice", example: id } };
  const isTalk = kind === "direct" || kind === "group";
  return {
    item: {
      id,
      name: isTalk ? "" : name,
      // The other one wrote nothing, so nobody knows who that is; or a bot of Discord's own wrote, too.
      kind: kind === "direct" && memberIds.size !== 2 ? "group" : kind,
      topic: isTalk ? "" : topic,
      isArchived: false,
      creatorId: null,
      memberIds: [...memberIds],
      createdAt: Math.min(timeOfId(id), now),
    },
  };
}

function userOf(author: Author | undefined): SourceUser | undefined {
  if (author === undefined) return undefined;
  const { id, name, nickname, isBot, avatar } = author;
  return {
    id,
    name: name || nickname || id,
    displayName: nickname || name || null,
    email: null,
    ...(avatar === undefined ? {} : { avatar }),
    kind: isBot ? "bot" : "person",
    isGone: !isBot && GONE.test(name),
  };
}

async function* readMessages(
  archive: Archive,
  { rooms }: Rooms,
  channelIds: ReadonlySet<string> | undefined,
  state: { replaced: number },
  readingOf: (room: Room, file: Room["files"][number]) => Reading,
): AsyncGenerator<Item<SourceMessage>> {
  for (const room of rooms.values()) {
    if (channelIds?.has(room.id) === false) continue;
    for (const file of room.files) {
      const reading = readingOf(room, file);
      const before = state.replaced;
      const { values, replaced } = readFile(archive, file.file.name);
      for await (const some of values) {
        state.replaced = before + replaced();
        for (const { path, value } of some) {
          if (path.length === 2) yield* messageItems(reading, value, `${file.file.name}#${path[1]}`);
        }
      }
    }
  }
}
