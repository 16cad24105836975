import type { Millis } from "../../../db/columns.ts";
import type { Archive } from "../../archive/archive.ts";
import type { Item, OpenSource, SourceChannel, SourceMessage, SourceUser } from "../../source.ts";
import { archiveFile } from "../archive-file.ts";
import type { SourceOptions } from "../format.ts";
import { checkOpen, isNamedOpen } from "../open-names.ts";
import type { ChatTarget } from "./entities.ts";
import { isGroupPeer } from "./peers.ts";
import { findLayout, type Layout, readResult } from "./result-file.ts";
import { RESULT } from "./result-name.ts";
import { type Chat, type Survey, surveyOf } from "./survey.ts";
import { messageItems, Reading } from "./telegram-messages.ts";

/** Chats of two. Telegram calls a chat with a program so, too. */
const TALKS = new Set(["personal_chat", "bot_chat"]);
/** Chats that are none with somebody else. */
const OWN = new Set(["saved_messages", "replies", "verify_codes"]);

/** Opens what Telegram Desktop wrote as JSON: one chat, or those of an account (`Format.open`). */
export async function openTelegram(archive: Archive, { clock, zone, open }: SourceOptions): Promise<OpenSource | null> {
  const layout = findLayout(archive);
  const survey = layout === null ? null : await surveyOf(layout, zone);
  if (layout === null || survey === null) return null;
  checkOpen(open, [...survey.chats.values()].filter(isGroup), "group or channel");
  const state = { replaced: 0 };
  let seen = new Set<string>();
  return {
    format: "telegram",
    workspace: workspaceOf(survey),
    fingerprint: archive.fingerprint,
    recordBytes: archive.find(`${layout.root}${RESULT}`)?.size ?? 0,
    lacks: lacksOf(survey, zone, open),
    hasUniqueIds: true,
    // All people are known from messages: those of chats that are not taken make no accounts.
    users: async function* () {},
    channels: async function* () {
      for (const chat of survey.chats.values()) yield channelItem(chat, survey, open, clock.now());
    },
    messages(channelIds) {
      seen = new Set();
      const people = seen;
      const see = (id: string): void => void people.add(id);
      return readMessages({ layout, survey, zone, now: clock.now(), state }, channelIds, see);
    },
    strangers() {
      const talks = new Map(
        [...survey.chats.values()].filter((chat) => !isGroup(chat)).map((chat) => [`user${chat.id}`, chat]),
      );
      return [...seen].map((id) => userOf(id, survey, talks.get(id)));
    },
    get replacedCharacters() {
      return state.replaced;
    },
    file: async (path) => archiveFile(archive, path),
    [Symbol.asyncDispose]: () => archive[Symbol.asyncDispose](),
  };
}

/** An export of one chat does not say whose it is. */
function workspaceOf({ owner, chats }: Survey): { id: string; name: string } {
  if (owner !== null) return owner;
  const [chat] = chats.values();
  return { id: chat?.id ?? "telegram", name: chat?.name || "Telegram" };
}

const isGroup = ({ type }: Chat): boolean => !TALKS.has(type) && !OWN.has(type);

function channelItem(chat: Chat, survey: Survey, open: SourceOptions["open"], now: Millis): Item<SourceChannel> {
  const { id, name, type, creatorId, firstAt } = chat;
  if (OWN.has(type)) {
    const reason = type === "saved_messages" ? "with_oneself" : type;
    return { leftOut: { kind: "direct", reason, example: id } };
  }
  const memberIds = membersOf(chat, survey);
  return {
    item: {
      id,
      name: isGroup(chat) ? name || id : "",
      // The person who exported it may have written nothing, and then is not known.
      kind: isGroup(chat)
        ? isNamedOpen(open, chat)
          ? "public"
          : "private"
        : memberIds.length === 2
          ? "direct"
          : "group",
      topic: "",
      isArchived: false,
      creatorId,
      memberIds,
      createdAt: firstAt === null ? null : Math.min(firstAt, now),
    },
  };
}

/** The number of a chat of two is that of the other one, who may have written nothing. */
function membersOf(chat: Chat, { owner }: Survey): string[] {
  if (isGroup(chat)) return [...chat.memberIds];
  const other = /^\d+$/.test(chat.id) ? [`user${chat.id}`] : [];
  return [...new Set([...other, ...(owner === null ? [] : [owner.id]), ...chat.memberIds])];
}

/** `chat`: the one of two with this person, or with this program. */
function userOf(id: string, { names, owner }: Survey, chat: Chat | undefined): SourceUser {
  const name = names.get(id) || chat?.name || (owner?.id === id ? owner.name : "");
  const isBot = isGroupPeer(id) || chat?.type === "bot_chat";
  return {
    id,
    name: name || `unknown-${id}`,
    displayName: name || null,
    email: null,
    kind: isBot ? "bot" : "person",
    // Telegram has no name of a deleted account.
    isGone: name === "" && !isBot,
  };
}

interface Shared {
  readonly layout: Layout;
  readonly survey: Survey;
  readonly zone: string;
  readonly now: Millis;
  readonly state: { replaced: number };
}

async function* readMessages(
  { layout, survey, zone, now, state }: Shared,
  channelIds: ReadonlySet<string> | undefined,
  seen: (id: string) => void,
): AsyncGenerator<Item<SourceMessage>> {
  const ids = new Set([...survey.chats.values()].map(({ id }) => id));
  const target: ChatTarget = (chatId, number) =>
    ids.has(chatId) ? { channelId: chatId, messageId: number === null ? null : `${chatId}/${number}` } : undefined;
  let reading: Reading | undefined;
  const before = state.replaced;
  for await (const part of readResult(layout, (count) => (state.replaced = before + count))) {
    const chat = part.kind === "message" ? survey.chats.get(part.chat) : undefined;
    if (part.kind !== "message" || chat === undefined) continue;
    if (channelIds?.has(chat.id) === false || OWN.has(chat.type)) continue;
    if (reading?.chat !== chat) {
      reading = new Reading({ layout, chat, zone, now, target, seen });
      if (!isGroup(chat)) for (const id of membersOf(chat, survey)) seen(id);
    }
    yield* messageItems(reading, part.value, `${RESULT}#${part.chat}/${part.index}`);
  }
}

/** Returns what an export does not have, and how Telegram Desktop gives it, as sentences. */
function lacksOf(survey: Survey, zone: string, open: SourceOptions["open"]): string[] {
  const isClosed = open !== "all" && [...survey.chats.values()].some(isGroup);
  return [
    ...(isClosed ? [READERS] : []),
    ...(survey.hasFilesElsewhere ? [FILES] : []),
    ...(survey.hasTimesWithoutZone ? [TIMES(zone)] : []),
    ADDRESSES,
  ];
}

const READERS =
  "The export does not say who may read a group. Groups and channels are private, with those who wrote in them, unless --open names them.";
const FILES =
  "The export does not have all files. Telegram Desktop adds those that are chosen in the settings of the export, up to the size limit there.";
const TIMES = (zone: string): string =>
  `Some times of the export have no zone. They are read as times in ${zone}; --zone names the zone of the computer that made the export.`;
const ADDRESSES = "The export has no e-mail addresses. users.csv takes them by hand.";
