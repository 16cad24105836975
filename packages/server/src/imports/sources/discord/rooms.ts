import { CHANNELS_MAX, type SourceChannel, SourceError } from "../../source.ts";
import type { SourceOptions } from "../format.ts";
import { isNamedOpen } from "../open-names.ts";
import type { ExportedChannel, ExportFile } from "./export-files.ts";

/** A channel or conversation, with its threads. */
export interface Room {
  readonly id: string;
  readonly name: string;
  readonly topic: string;
  readonly kind: SourceChannel["kind"];
  readonly isVoice: boolean;
  readonly isPrivateThread: boolean;
  /** The newest first. */
  readonly files: RoomFile[];
  /** Those who wrote in it; in a conversation also those who reacted. */
  readonly memberIds: Set<string>;
  /** True if there is a message to take. */
  hasMessages: boolean;
}

export interface RoomFile {
  readonly file: ExportFile;
  readonly thread: Thread | null;
}

/** A thread that everybody can read who reads its channel. */
export interface Thread {
  readonly id: string;
  readonly name: string;
  readonly roomId: string;
  /** The message or notice that began it; that of its id if neither is in the export. */
  rootId: string;
}

/** The channels and threads of an export. */
export interface Rooms {
  readonly rooms: ReadonlyMap<string, Room>;
  readonly threads: ReadonlyMap<string, Thread>;
}

const THREADS = new Set(["GuildPublicThread", "GuildNewsThread"]);
const PRIVATE_THREAD = "GuildPrivateThread";
const VOICE = new Set(["GuildVoiceChat", "GuildStageVoice"]);

/**
 * Finds the channels and threads of the files. A public thread is a part of its channel. A private one has readers of its
 * own, and so becomes a channel of its own.
 */
export function roomsOf(files: readonly ExportFile[], open: SourceOptions["open"]): Rooms {
  const [rooms, threads] = [new Map<string, Room>(), new Map<string, Thread>()];
  const roomOf = (channel: ExportedChannel): Room => {
    const room = rooms.get(channel.id) ?? newRoom(channel, open);
    rooms.set(room.id, room);
    if (rooms.size + threads.size > CHANNELS_MAX)
      throw new SourceError("The export has more than 50,000 channels and threads. Parley cannot import so many.");
    return room;
  };
  for (const file of files.filter((each) => !isThread(each))) roomOf(file.channel).files.push({ file, thread: null });
  for (const file of files.filter(isThread)) {
    const { id, name, parent } = file.channel;
    const thread = threads.get(id) ?? { id, name, roomId: parent.id, rootId: id };
    threads.set(id, thread);
    // A forum has no messages of its own, and so no file.
    const room = roomOf({ id: thread.roomId, name: parent.name, type: "", topic: "", parent: { id: "", name: "" } });
    room.files.push({ file, thread });
  }
  return { rooms, threads };
}

const isThread = ({ channel }: ExportFile): boolean =>
  THREADS.has(channel.type) && channel.parent.id !== "" && channel.parent.id !== channel.id;

const newRoom = (channel: ExportedChannel, open: SourceOptions["open"]): Room => ({
  id: channel.id,
  name: channel.name || channel.id,
  topic: channel.topic,
  kind: kindOf(channel, open),
  isVoice: VOICE.has(channel.type),
  isPrivateThread: channel.type === PRIVATE_THREAD,
  files: [],
  memberIds: new Set(),
  hasMessages: false,
});

function kindOf({ id, name, type }: ExportedChannel, open: SourceOptions["open"]): SourceChannel["kind"] {
  if (type === "DirectTextChat") return "direct";
  if (type === "DirectGroupTextChat") return "group";
  // A private thread may have the name of a channel, so only its id opens it.
  const isOpen = isNamedOpen(open, { id, name }, type !== PRIVATE_THREAD);
  return isOpen ? "public" : "private";
}

/** Returns what `--open` may name. */
export const openable = ({ rooms }: Rooms): Room[] =>
  [...rooms.values()].filter(
    ({ kind, isPrivateThread }) => kind === "public" || (kind === "private" && !isPrivateThread),
  );
