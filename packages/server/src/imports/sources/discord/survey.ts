import type { Archive } from "../../archive/archive.ts";
import { type SourceEmoji, SourceError, type SourceFile, USERS_MAX } from "../../source.ts";
import { type Fields, fieldsOf, partOf, partsOf, textOf } from "../fields.ts";
import { authorIdOf, isWebhook, nameOf } from "./authors.ts";
import { picture } from "./discord-media.ts";
import { readFile } from "./export-files.ts";
import { isSaid, THREAD_CREATED } from "./message-types.ts";
import type { Room, RoomFile, Rooms, Thread } from "./rooms.ts";
import { idOf } from "./snowflake.ts";

/** A person, bot or webhook, as the newest of their messages says it. */
export interface Author {
  readonly id: string;
  readonly name: string;
  readonly nickname: string;
  readonly isBot: boolean;
  readonly avatar: SourceFile | undefined;
}

/** Facts that only the whole export tells, and that its messages need. */
export interface Survey {
  readonly authors: ReadonlyMap<string, Author>;
  readonly roles: ReadonlyMap<string, string>;
  readonly emoji: ReadonlyMap<string, SourceEmoji>;
  /** True if a message has an attachment. */
  readonly hasFiles: boolean;
}

const ROLES_MAX = 20_000;
const EMOJI_MAX = 20_000;
const MEMBERS_MAX = 2_000_000;
const NAME_MAX = 200;

/** Reads all messages once: for who wrote where, which message began a thread, the names of roles, and own emoji. */
export async function surveyOf(archive: Archive, rooms: Rooms): Promise<Survey> {
  const surveyor = new Surveyor(archive, rooms);
  for (const room of rooms.rooms.values()) {
    for (const file of room.files) await surveyor.read(room, file);
  }
  return surveyor.finish();
}

class Surveyor {
  readonly #archive: Archive;
  readonly #rooms: Rooms;
  readonly #authors = new Map<string, Author>();
  readonly #roles = new Map<string, string>();
  /** Null: the export does not have its picture. */
  readonly #emoji = new Map<string, SourceEmoji | null>();
  readonly #found = new Set<Thread>();
  #members = 0;
  #hasFiles = false;

  constructor(archive: Archive, rooms: Rooms) {
    this.#archive = archive;
    this.#rooms = rooms;
  }

  async read(room: Room, { file, thread }: RoomFile): Promise<void> {
    for await (const some of readFile(this.#archive, file.name).values) {
      for (const { path, value } of some) {
        const message = path.length === 2 ? fieldsOf(value) : undefined;
        if (message !== undefined) this.#message(room, file.name, thread, message);
      }
    }
  }

  finish(): Survey {
    const emoji = new Map([...this.#emoji].flatMap(([name, each]) => (each === null ? [] : [[name, each] as const])));
    return { authors: this.#authors, roles: this.#roles, emoji, hasFiles: this.#hasFiles };
  }

  #message(room: Room, file: string, thread: Thread | null, message: Fields): void {
    const id = idOf(message, "id");
    const begun = this.#rooms.threads.get(id);
    const isOwn = begun !== undefined && (begun === thread || begun.roomId === room.id);
    if (isSaid(message)) {
      if (isOwn) this.#begin(begun, id);
      room.hasMessages = true;
      this.#said(room, file, message);
    } else if (textOf(message, "type") === THREAD_CREATED) this.#notice(room, file, message, id);
  }

  /** A thread begins with the message of its id. */
  #begin(thread: Thread, id: string): void {
    thread.rootId = id;
    this.#found.add(thread);
  }

  /** Or with the notice of a channel, if it began without a message. */
  #notice(room: Room, file: string, message: Fields, id: string): void {
    const thread = this.#rooms.threads.get(idOf(partOf(message, "reference"), "channelId"));
    if (thread === undefined || thread.roomId !== room.id || this.#found.has(thread) || id === "") return;
    thread.rootId = id;
    this.#author(room, file, partOf(message, "author"));
  }

  #said(room: Room, file: string, message: Fields): void {
    this.#author(room, file, partOf(message, "author"));
    for (const role of partsOf(partOf(message, "author"), "roles")) this.#role(role);
    for (const each of partsOf(message, "reactions")) {
      this.#ownEmoji(file, partOf(each, "emoji"));
      if (room.kind === "direct" || room.kind === "group")
        for (const user of partsOf(each, "users")) this.#author(room, file, user);
    }
    for (const emoji of partsOf(message, "inlineEmojis")) this.#ownEmoji(file, emoji);
    this.#hasFiles ||= partsOf(message, "attachments").length > 0;
  }

  #author(room: Room, file: string, user: Fields): void {
    const id = authorIdOf(user);
    if (id === "") return;
    const author = this.#authors.get(id) ?? this.#newAuthor(id, file, user);
    if (room.memberIds.has(author.id)) return;
    // The same text for all rooms, so that it is in memory once.
    room.memberIds.add(author.id);
    this.#members += 1;
    if (this.#members > MEMBERS_MAX)
      throw new SourceError(`${this.#archive.path} has more than 2,000,000 members of channels. Import fewer at once.`);
  }

  #newAuthor(id: string, file: string, user: Fields): Author {
    const avatar = picture(this.#archive, file, textOf(user, "avatarUrl"));
    const name = nameOf(user);
    // DiscordChatExporter gives each message of a webhook the nickname of the first one.
    const nickname = isWebhook(user) ? name : textOf(user, "nickname").slice(0, NAME_MAX);
    const author: Author = { id, name, nickname, isBot: user.isBot === true, avatar };
    this.#authors.set(id, author);
    if (this.#authors.size > USERS_MAX)
      throw new SourceError(
        `${this.#archive.path} has more than 200,000 people and bots. Parley cannot import so many.`,
      );
    return author;
  }

  #role(role: Fields): void {
    const id = idOf(role, "id");
    if (id !== "" && this.#roles.size < ROLES_MAX && !this.#roles.has(id))
      this.#roles.set(id, textOf(role, "name").slice(0, NAME_MAX));
  }

  #ownEmoji(file: string, emoji: Fields): void {
    const name = textOf(emoji, "name");
    if (idOf(emoji, "id") === "" || !/^\w{1,64}$/.test(name)) return;
    if (this.#emoji.has(name) || this.#emoji.size >= EMOJI_MAX) return;
    const found = picture(this.#archive, file, textOf(emoji, "imageUrl"));
    this.#emoji.set(name, found === undefined ? null : { name, picture: found });
  }
}
