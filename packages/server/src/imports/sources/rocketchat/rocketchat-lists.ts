import type { Millis } from "../../../db/columns.ts";
import type { Item, SourceChannel, SourceEmoji, SourceFile, SourceUser } from "../../source.ts";
import { wordsOf } from "../../tree-words.ts";
import { countOf, type Fields, partOf, textOf, textsOf } from "../fields.ts";
import type { Bucket } from "./grid-files.ts";
import { readCollection } from "./layout.ts";
import { addressOf, type Dump, nameOf } from "./rocketchat-server.ts";
import { textTree } from "./text/rocketchat-text.ts";

/** Reads people and bots. Visitors of a website are none of them. */
export async function* readUsers(dump: Dump): AsyncGenerator<Item<SourceUser>> {
  let place = 0;
  for await (const value of readCollection(dump.layout, "users", true)) {
    const id = textOf(value ?? {}, "_id");
    if (id === "") yield { leftOut: { kind: "user", reason: "no_id", example: `users.bson#${place}` } };
    else yield { item: userOf(value ?? {}, id, dump) };
    place += 1;
  }
}

function userOf(user: Fields, id: string, dump: Dump): SourceUser {
  const name = textOf(user, "username");
  const { avatars } = dump.server;
  const avatar = gridFile(dump, "rocketchat_avatars", avatars.get(id) ?? avatars.get(name) ?? "", name);
  return {
    id,
    name: name || `unknown-${id.toLowerCase()}`,
    displayName: textOf(user, "name") || null,
    email: addressOf(user),
    ...(avatar === undefined ? {} : { avatar }),
    kind: user.type === "bot" || user.type === "app" ? "bot" : "person",
    isGone: user.active === false,
  };
}

function gridFile({ grid }: Dump, bucket: Bucket, id: string, name: string): SourceFile | undefined {
  const path = grid.path(bucket, id);
  if (path === null) return undefined;
  return { id, name, mimeType: null, size: grid.size(bucket, id), alt: null, path, url: null };
}

/** Reads the rooms. A discussion is a channel of its own. */
export async function* readChannels(dump: Dump, now: Millis): AsyncGenerator<Item<SourceChannel>> {
  let place = 0;
  for await (const value of readCollection(dump.layout, "rocketchat_room")) {
    yield channelItem(value ?? {}, dump, now, `rocketchat_room.bson#${place}`);
    place += 1;
  }
}

function channelItem(fields: Fields, dump: Dump, now: Millis, place: string): Item<SourceChannel> {
  const id = textOf(fields, "_id");
  if (id === "") return { leftOut: { kind: "channel", reason: "no_id", example: place } };
  const kind = dump.server.rooms.get(id)?.kind ?? null;
  if (kind === null) {
    const isTalk = fields.t === "l" || fields.t === "v";
    return { leftOut: { kind: "channel", reason: isTalk ? "livechat" : "wrong_type", example: id } };
  }
  const memberIds = dump.index.membersOf(id);
  if (kind === "direct" && memberIds.length < 2)
    return { leftOut: { kind: "direct", reason: "with_oneself", example: id } };
  const isTalk = kind === "direct" || kind === "group";
  const made = countOf(fields, "ts");
  const topic = ["topic", "description", "announcement"].map((name) => textOf(fields, name)).find(Boolean) ?? "";
  return {
    item: {
      id,
      name: isTalk ? "" : nameOf(fields),
      kind,
      topic: isTalk ? "" : wordsOf(textTree(topic, { server: dump.server })),
      isArchived: fields.archived === true,
      creatorId: textOf(partOf(fields, "u"), "_id") || null,
      memberIds,
      // Undo compares it with the time of the import, so it is never later.
      createdAt: made === null || made === 0 ? null : Math.min(made, now),
    },
  };
}

/** Reads the workspace's own emoji. Each further name is one of its own. */
export async function* readEmoji(dump: Dump): AsyncGenerator<Item<SourceEmoji>> {
  for await (const value of readCollection(dump.layout, "rocketchat_custom_emoji")) {
    const fields: Fields = value ?? {};
    const name = textOf(fields, "name");
    const fileName = `${name}.${textOf(fields, "extension")}`;
    const picture = gridFile(dump, "custom_emoji", fileName, fileName);
    if (picture === undefined)
      yield { leftOut: { kind: "emoji", reason: "no_picture", example: name || textOf(fields, "_id") } };
    else for (const each of new Set([name, ...textsOf(fields, "aliases")])) yield { item: { name: each, picture } };
  }
}
