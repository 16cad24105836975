import { CHANNELS_MAX, USERS_MAX } from "../../source.ts";
import { countOf, type Fields, fieldsOf, textOf } from "../fields.ts";
import { CHANNELS, PEOPLE, tooMany } from "../too-many.ts";
import { type Layout, readRows } from "./layout.ts";
import { emojiOfRow } from "./reaction-emoji.ts";
import { idOf, timeOf } from "./zulip-fields.ts";
import type { ZulipIndex } from "./zulip-index.ts";

/** Bots of Zulip itself whose messages are notices. Others, such as the one of e-mails, say what people wrote. */
const NOTICES = /^(?:notification|welcome|new-user)-bot@/;
/** Names of an address that Zulip made because the true one is hidden. */
const HIDDEN_ADDRESS = /^user\d+@(.+)$/;
const [PERSONAL, STREAM, HUDDLE] = [1, 2, 3];
/** Names of emoji that are learnt from reactions. Zulip itself has some 2,000. */
const NAMES_MAX = 10_000;
/** Each person and stream is one, and so is each conversation of several. */
const RECIPIENTS_MAX = 500_000;

export interface Stream {
  readonly id: string;
  readonly name: string;
  readonly recipient: string;
}

/** To whom a message goes. */
export type Recipient =
  | { readonly kind: "person"; readonly user: string }
  | { readonly kind: "stream"; readonly stream: string }
  | { readonly kind: "huddle"; readonly id: string };

/** The facts about an organisation that messages refer to. */
export interface Realm {
  id: string;
  name: string;
  /** The first part of its address; empty if the server has only one. */
  subdomain: string;
  /** The hosts of addresses that Zulip made for it. */
  readonly hosts: Set<string>;
  /** The full name of each person and bot, by id. */
  readonly names: Map<string, string>;
  readonly userIds: Map<string, string>;
  /** Zulip's own bots, by id. */
  readonly systemBots: Map<string, { name: string; isNotice: boolean }>;
  readonly streams: Map<string, Stream>;
  readonly streamIds: Map<string, string>;
  readonly recipients: Map<string, Recipient>;
  /** Emoji by their names in Zulip, as reactions tell them. */
  readonly emoji: Map<string, string>;
  /** Names of emoji that the organisation made itself. */
  readonly ownEmoji: Set<string>;
  hasAddresses: boolean;
}

const newRealm = (): Realm => ({
  id: "zulip",
  name: "Zulip",
  subdomain: "",
  hosts: new Set(),
  names: new Map(),
  userIds: new Map(),
  systemBots: new Map(),
  streams: new Map(),
  streamIds: new Map(),
  recipients: new Map(),
  emoji: new Map(),
  ownEmoji: new Set(),
  hasAddresses: false,
});

/** Reads `realm.json` once, and keeps what is about messages in the index. */
export async function readRealm(layout: Layout, index: ZulipIndex): Promise<Realm> {
  const realm = newRealm();
  for await (const { table, value } of readRows(layout, "realm.json", false)) {
    const fields = fieldsOf(value);
    if (fields !== undefined) (Object.hasOwn(TABLES, table) ? TABLES[table] : undefined)?.(realm, index, fields);
    if (realm.names.size > USERS_MAX) throw tooMany(layout.archive.path, PEOPLE);
    if (realm.streams.size > CHANNELS_MAX) throw tooMany(layout.archive.path, CHANNELS);
    if (realm.recipients.size > RECIPIENTS_MAX) throw tooMany(layout.archive.path, "500,000 conversations");
  }
  // Streams know their recipients only by these, in older versions.
  for (const [recipient, to] of realm.recipients) {
    const stream = to.kind === "stream" ? realm.streams.get(to.stream) : undefined;
    if (stream !== undefined) realm.streams.set(stream.id, { ...stream, recipient });
  }
  for await (const { value } of readRows(layout, "attachment.json", false)) addAttachment(index, fieldsOf(value) ?? {});
  return realm;
}

type AddRow = (realm: Realm, index: ZulipIndex, fields: Fields) => void;

/** Reads the rows of these tables. Other tables say nothing that is taken. */
const TABLES: Readonly<Record<string, AddRow>> = {
  zerver_realm: addRealm,
  zerver_userprofile: addUser,
  zerver_userprofile_mirrordummy: addUser,
  zerver_userprofile_crossrealm: addSystemBot,
  zerver_stream: addStream,
  zerver_recipient: addRecipient,
  zerver_subscription: addMember,
  zerver_realmemoji: addOwnEmoji,
  zerver_reaction: addReaction,
  zerver_submessage: addSubMessage,
};

function addRealm(realm: Realm, _: ZulipIndex, fields: Fields): void {
  realm.subdomain = textOf(fields, "string_id") || textOf(fields, "subdomain");
  realm.name = textOf(fields, "name") || realm.subdomain || realm.name;
  // The number alone is not unique: each server counts its own.
  const made = timeOf(fields, "date_created");
  realm.id = `${realm.subdomain || "zulip"}-${made === null ? idOf(fields, "id") : Math.floor(made / 1000)}`;
}

function addUser(realm: Realm, _: ZulipIndex, fields: Fields): void {
  const [id, name] = [idOf(fields, "id"), textOf(fields, "full_name")];
  if (id === "") return;
  realm.names.set(id, name || id);
  if (name !== "" && !realm.userIds.has(name)) realm.userIds.set(name, id);
  const [, host] = HIDDEN_ADDRESS.exec(textOf(fields, "email")) ?? [];
  if (host !== undefined && realm.hosts.size < 10) realm.hosts.add(host);
  realm.hasAddresses ||= addressOf(fields) !== null;
}

/** Returns the true address; null if the export has only the one that Zulip made. */
export function addressOf(user: Fields): string | null {
  const address = textOf(user, "delivery_email") || textOf(user, "email");
  return address === "" || HIDDEN_ADDRESS.test(address) ? null : address;
}

function addSystemBot(realm: Realm, _: ZulipIndex, fields: Fields): void {
  const [id, email] = [idOf(fields, "id"), textOf(fields, "email")];
  if (id === "" || realm.systemBots.size > 1_000) return;
  realm.systemBots.set(id, { name: email.split("@")[0] || id, isNotice: NOTICES.test(email) });
}

function addStream(realm: Realm, _: ZulipIndex, fields: Fields): void {
  const [id, name] = [idOf(fields, "id"), streamName(fields)];
  if (id === "") return;
  realm.streams.set(id, { id, name, recipient: "" });
  if (!realm.streamIds.has(name.toLowerCase())) realm.streamIds.set(name.toLowerCase(), id);
}

/** Older versions have marked the names of archived streams. */
export const streamName = (fields: Fields): string =>
  textOf(fields, "name")
    .slice(0, 1_000)
    .replace(/^!{1,20}DEACTIVATED:/, "");

function addRecipient(realm: Realm, _: ZulipIndex, fields: Fields): void {
  const [id, to] = [idOf(fields, "id"), idOf(fields, "type_id")];
  const type = countOf(fields, "type");
  if (id === "" || to === "") return;
  if (type === PERSONAL) realm.recipients.set(id, { kind: "person", user: to });
  if (type === STREAM) realm.recipients.set(id, { kind: "stream", stream: to });
  if (type === HUDDLE) realm.recipients.set(id, { kind: "huddle", id: to });
}

function addMember(_: Realm, index: ZulipIndex, fields: Fields): void {
  if (fields.active !== false) index.addMember(idOf(fields, "recipient"), idOf(fields, "user_profile"));
}

function addOwnEmoji({ ownEmoji }: Realm, _: ZulipIndex, fields: Fields): void {
  const name = textOf(fields, "name");
  if (name !== "" && fields.deactivated !== true && ownEmoji.size < NAMES_MAX) ownEmoji.add(name.slice(0, 100));
}

function addReaction(realm: Realm, index: ZulipIndex, fields: Fields): void {
  const [message, user] = [idOf(fields, "message"), idOf(fields, "user_profile")];
  const emoji = emojiOfRow(fields);
  if (message === "" || user === "" || emoji === "") return;
  index.addReaction(message, emoji, user);
  const name = textOf(fields, "emoji_name").slice(0, 100);
  if (name !== "" && emoji !== name && realm.emoji.size < NAMES_MAX) realm.emoji.set(name, emoji);
}

function addSubMessage(_: Realm, index: ZulipIndex, fields: Fields): void {
  const [message, sender] = [idOf(fields, "message"), idOf(fields, "sender")];
  const content = textOf(fields, "content");
  if (message !== "") index.addSubMessage(message, countOf(fields, "id") ?? 0, { sender, content });
}

function addAttachment(index: ZulipIndex, fields: Fields): void {
  const path = textOf(fields, "path_id");
  if (path !== "") index.addAttachment(path, { name: textOf(fields, "file_name"), size: countOf(fields, "size") });
}

/** Reads a row about messages that is beside them, as some programs write it. */
export function addRowOfMessages(realm: Realm, index: ZulipIndex, table: string, fields: Fields): void {
  if (table === "zerver_reaction") addReaction(realm, index, fields);
  if (table === "zerver_submessage") addSubMessage(realm, index, fields);
}
