import { CHANNELS_MAX, USERS_MAX } from "../../source.ts";
import { countOf, type Fields, partOf, partsOf, textOf, textsOf } from "../fields.ts";
import { CHANNELS, PEOPLE, tooMany } from "../too-many.ts";
import type { GridFiles } from "./grid-files.ts";
import { type Layout, readCollection } from "./layout.ts";
import type { RocketChatIndex } from "./rocketchat-index.ts";

/** A room, as the reading of messages keeps it. */
export interface Room {
  readonly id: string;
  /** As texts name it. */
  readonly name: string;
  readonly kind: "public" | "private" | "direct" | "group";
}

/** The facts about a server that messages refer to. */
export interface Server {
  id: string;
  name: string;
  /** Its hosts, by which its own links are known. */
  readonly hosts: Set<string>;
  /** The handle of each person and bot, by id, and the other way round. */
  readonly names: Map<string, string>;
  readonly userIds: Map<string, string>;
  readonly rooms: Map<string, Room>;
  readonly roomIds: Map<string, string>;
  /** Pictures of people, by their ids or handles. */
  readonly avatars: Map<string, string>;
  /** Names of emoji that the workspace made itself. */
  readonly ownEmoji: Set<string>;
  hasAddresses: boolean;
}

/** What is read of a dump before its messages. */
export interface Dump {
  readonly layout: Layout;
  readonly server: Server;
  readonly index: RocketChatIndex;
  readonly grid: GridFiles;
}

const SETTINGS = ["uniqueID", "Site_Name", "Site_Url"];
const HOSTS_MAX = 10;
const EMOJI_MAX = 10_000;

/** Reads everything but the messages. Of the settings, which hold passwords, only three are looked at. */
export async function readServer(layout: Layout, index: RocketChatIndex): Promise<Server> {
  const server: Server = {
    id: "rocketchat",
    name: "Rocket.Chat",
    hosts: new Set(),
    names: new Map(),
    userIds: new Map(),
    rooms: new Map(),
    roomIds: new Map(),
    avatars: new Map(),
    ownEmoji: new Set(),
    hasAddresses: false,
  };
  const read = async (collection: string, add: (fields: Fields) => void): Promise<void> => {
    for await (const value of readCollection(layout, collection)) if (value !== null) add(value);
  };
  let first = Number.POSITIVE_INFINITY;
  await read("users", (user) => {
    first = Math.min(first, countOf(user, "createdAt") ?? first);
    addUser(server, index, user);
    if (server.names.size > USERS_MAX) throw tooMany(layout.archive.path, PEOPLE);
  });
  // Without settings in the dump, the first account of all, which the server itself made, is the same in each dump of it.
  if (Number.isFinite(first)) server.id = `rocketchat-${first}`;
  await read("rocketchat_settings", (setting) => addSetting(server, setting));
  await read("rocketchat_room", (room) => {
    addRoom(server, index, room);
    if (server.rooms.size > CHANNELS_MAX) throw tooMany(layout.archive.path, CHANNELS);
  });
  await read("rocketchat_subscription", (fields) =>
    index.addMember(textOf(fields, "rid"), textOf(partOf(fields, "u"), "_id")),
  );
  await read("rocketchat_uploads", (upload) => addUpload(server, index, upload));
  await read("rocketchat_avatars", (avatar) => {
    for (const key of [textOf(avatar, "userId"), textOf(avatar, "name")])
      if (key !== "" && server.avatars.size < 2 * USERS_MAX) server.avatars.set(key, textOf(avatar, "_id"));
  });
  await read("rocketchat_custom_emoji", (emoji) => {
    for (const name of [textOf(emoji, "name"), ...textsOf(emoji, "aliases")])
      if (server.ownEmoji.size < EMOJI_MAX) server.ownEmoji.add(name);
  });
  return server;
}

function addUser(server: Server, index: RocketChatIndex, user: Fields): void {
  const [id, name] = [textOf(user, "_id"), textOf(user, "username")];
  if (id === "") return;
  server.names.set(id, name || id);
  if (name !== "") server.userIds.set(name, id);
  server.hasAddresses ||= addressOf(user) !== null;
  for (const room of textsOf(user, "__rooms")) index.addMember(room, id);
}

export const addressOf = (user: Fields): string | null =>
  partsOf(user, "emails")
    .map((email) => textOf(email, "address"))
    .find((address) => address !== "") ?? null;

function addSetting(server: Server, setting: Fields): void {
  const id = textOf(setting, "_id");
  const value = SETTINGS.includes(id) ? textOf(setting, "value") : "";
  if (value === "") return;
  if (id === "uniqueID") server.id = value;
  else if (id === "Site_Name") server.name = value;
  else addHost(server, value);
}

function addHost({ hosts }: Server, address: string): void {
  const url = URL.parse(address);
  if (url !== null && url.host !== "" && hosts.size < HOSTS_MAX) hosts.add(url.host);
}

function addUpload(server: Server, index: RocketChatIndex, upload: Fields): void {
  addHost(server, textOf(upload, "url"));
  index.addUpload(textOf(upload, "_id"), {
    name: textOf(upload, "name"),
    type: textOf(upload, "type"),
    size: countOf(upload, "size"),
    description: textOf(upload, "description"),
  });
}

function addRoom(server: Server, index: RocketChatIndex, fields: Fields): void {
  const id = textOf(fields, "_id");
  if (id === "") return;
  const members = membersOf(server, fields);
  for (const user of members) index.addMember(id, user);
  const [name, shown] = [textOf(fields, "name"), nameOf(fields)];
  const kind = kindOf(fields, members.length);
  if (kind === null) {
    index.addOther(id);
    return;
  }
  server.rooms.set(id, { id, name: shown || id, kind });
  for (const each of [name, shown]) if (each !== "" && !server.roomIds.has(each)) server.roomIds.set(each, id);
}

/** A discussion is named by chance, and has its title beside. */
export const nameOf = (room: Fields): string =>
  textOf(room, "prid") === ""
    ? textOf(room, "name") || textOf(room, "fname")
    : textOf(room, "fname") || textOf(room, "name");

/** Old rooms of two have their people only in their ids. */
function membersOf({ names, userIds }: Server, room: Fields): string[] {
  const ids = textsOf(room, "uids");
  if (ids.length > 0 || room.t !== "d") return ids;
  const named = textsOf(room, "usernames").map((name) => userIds.get(name) ?? "");
  if (named.some(Boolean)) return named.filter(Boolean);
  const id = textOf(room, "_id");
  for (let at = 1; at < Math.min(id.length, 100); at += 1) {
    const [one, other] = [id.slice(0, at), id.slice(at)];
    if (names.has(one) && names.has(other)) return [...new Set([one, other])];
  }
  return [];
}

/** A channel with a password is not for everybody. Null: talks with visitors of a website, and what is unknown. */
function kindOf(room: Fields, members: number): Room["kind"] | null {
  if (room.t === "c") return room.joinCodeRequired === true ? "private" : "public";
  if (room.t === "p") return "private";
  return room.t === "d" ? (members > 2 ? "group" : "direct") : null;
}
