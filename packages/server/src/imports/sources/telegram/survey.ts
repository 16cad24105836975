import type { Millis } from "../../../db/columns.ts";
import { CHANNELS_MAX, SourceError, USERS_MAX } from "../../source.ts";
import { type Fields, fieldsOf, textOf } from "../fields.ts";
import { hasZone, messageTime } from "./message-time.ts";
import { isGroupPeer, numberOf, peerOf } from "./peers.ts";
import { type Layout, readResult } from "./result-file.ts";

/** A chat, as the whole export tells it. */
export interface Chat {
  id: string;
  name: string;
  type: string;
  /** Those who wrote in it. */
  readonly memberIds: Set<string>;
  creatorId: string | null;
  firstAt: Millis | null;
  /** The messages that somebody pinned. Telegram does not export that a pin was taken away. */
  readonly pins: Set<string>;
  hasTopics: boolean;
}

/** Facts that only the whole export tells, and that its messages need. */
export interface Survey {
  /** By their places in the export. */
  readonly chats: ReadonlyMap<string, Chat>;
  /** Names of people, channels and bots; empty for accounts that are deleted. */
  readonly names: ReadonlyMap<string, string>;
  /** The person who exported their account; null if the export has only one chat. */
  readonly owner: { readonly id: string; readonly name: string } | null;
  readonly hasTimesWithoutZone: boolean;
  readonly hasFilesElsewhere: boolean;
}

const NAME_MAX = 200;
const PINS_MAX = 1_000;
const MEMBERS_MAX = 2_000_000;

/** Reads everything once: the chats, who wrote in them, and what is pinned. Null: the file has no chats. */
export async function surveyOf(layout: Layout, zone: string): Promise<Survey | null> {
  const surveyor = new Surveyor(layout, zone);
  for await (const part of readResult(layout, () => {})) {
    if (part.kind === "message") surveyor.message(part.chat, fieldsOf(part.value) ?? {});
    else if (part.chat !== null) surveyor.field(part.chat, part.name, part.value);
    else surveyor.topField(part.name, part.value);
  }
  return surveyor.finish();
}

class Surveyor {
  readonly #layout: Layout;
  readonly #zone: string;
  readonly #chats = new Map<string, Chat>();
  readonly #names = new Map<string, string>();
  /** The fields of the document: those of the chat, if there is only one. */
  readonly #top: Record<string, unknown> = {};
  #members = 0;
  #hasTimesWithoutZone = false;
  #hasFilesElsewhere = false;

  constructor(layout: Layout, zone: string) {
    this.#layout = layout;
    this.#zone = zone;
  }

  topField(name: string, value: unknown): void {
    if (["name", "type", "id", "personal_information"].includes(name)) this.#top[name] = value;
    else if (name === "messages") this.#chat("");
  }

  field(key: string, name: string, value: unknown): void {
    const chat = this.#chat(key);
    const fields = { [name]: value };
    if (name === "id") chat.id = numberOf(fields, name);
    else if (name === "name") chat.name = textOf(fields, name).slice(0, NAME_MAX);
    else if (name === "type") chat.type = textOf(fields, name).slice(0, NAME_MAX);
  }

  message(key: string, message: Fields): void {
    const chat = this.#chat(key);
    const at = messageTime(message, this.#zone);
    if (at !== undefined && at >= 0 && (chat.firstAt === null || at < chat.firstAt)) chat.firstAt = at;
    this.#hasTimesWithoutZone ||= at !== undefined && !hasZone(message);
    if (message.type === "service") this.#service(chat, message);
    else this.#person(chat, message, "from");
    for (const name of ["photo", "file"]) this.#hasFilesElsewhere ||= textOf(message, name).includes("(File ");
  }

  finish(): Survey | null {
    for (const [name, value] of Object.entries(this.#top)) {
      if (this.#chats.has("") && name !== "personal_information") this.field("", name, value);
    }
    if (this.#chats.size === 0) return null;
    this.#nameUnknown();
    const personal = fieldsOf(this.#top.personal_information) ?? {};
    const ownerId = peerOf(personal, "user_id");
    const ownerName = [textOf(personal, "first_name"), textOf(personal, "last_name")].filter(Boolean).join(" ");
    return {
      chats: this.#chats,
      names: this.#names,
      owner: ownerId === "" ? null : { id: ownerId, name: ownerName || (this.#names.get(ownerId) ?? ownerId) },
      hasTimesWithoutZone: this.#hasTimesWithoutZone,
      hasFilesElsewhere: this.#hasFilesElsewhere,
    };
  }

  /** Chats without an id, and a second one of an id, have their place as id. */
  #nameUnknown(): void {
    const ids = new Set<string>();
    for (const [key, chat] of this.#chats) {
      if (chat.id === "" || ids.has(chat.id)) chat.id = `${key || "chat"}:${chat.id}`;
      ids.add(chat.id);
    }
  }

  #chat(key: string): Chat {
    const known = this.#chats.get(key);
    if (known !== undefined) return known;
    const chat: Chat = {
      ...{ id: "", name: "", type: "", creatorId: null, firstAt: null, hasTopics: false },
      ...{ memberIds: new Set<string>(), pins: new Set<string>() },
    };
    this.#chats.set(key, chat);
    if (this.#chats.size > CHANNELS_MAX) throw tooMany(this.#layout, "50,000 chats");
    return chat;
  }

  #service(chat: Chat, message: Fields): void {
    const action = textOf(message, "action");
    if (action === "topic_created") {
      chat.hasTopics = true;
      this.#person(chat, message, "actor");
    }
    if (action === "create_group" || action === "create_channel") chat.creatorId = peerOf(message, "actor_id") || null;
    if (action !== "pin_message") return;
    const pinned = numberOf(message, "message_id");
    chat.pins.delete(pinned);
    if (pinned !== "") chat.pins.add(pinned);
    const [oldest] = chat.pins;
    if (chat.pins.size > PINS_MAX && oldest !== undefined) chat.pins.delete(oldest);
  }

  #person(chat: Chat, message: Fields, field: string): void {
    const id = peerOf(message, `${field}_id`);
    if (id === "") return;
    // The newest name counts, and a deleted account keeps the one that it had.
    const name = textOf(message, field).slice(0, NAME_MAX);
    const known = this.#names.get(id);
    if (known === undefined || (name !== "" && name !== known)) this.#names.set(id, name);
    if (this.#names.size > USERS_MAX) throw tooMany(this.#layout, "200,000 people and bots");
    if (isGroupPeer(id) || chat.memberIds.has(id)) return;
    chat.memberIds.add(id);
    this.#members += 1;
    if (this.#members > MEMBERS_MAX) throw tooMany(this.#layout, "2,000,000 members of chats");
  }
}

const tooMany = ({ archive }: Layout, what: string): SourceError =>
  new SourceError(`${archive.path} has more than ${what}. Parley cannot import so many.`);
