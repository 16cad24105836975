import type { Database, Statement } from "bun:sqlite";
import { MENTIONS_PER_MESSAGE, REACTIONS_PER_MESSAGE } from "@parley/protocol/limits";
import {
  CHANNELS_MAX,
  type Item,
  type SourceChannel,
  SourceError,
  type SourceMessage,
  type SourceUser,
  USERS_MAX,
} from "../source.ts";
import { mentionedIn } from "../tree-words.ts";
import { jsonOf } from "./stage-tables.ts";
import type { Tally } from "./tally.ts";

/** More messages with one id are no messages of a chat. */
const SAME_ID_MAX = 50;
const ROWS_PER_COMMIT = 5_000;

/** Adds what a reader yields to a stage. */
export class StageWriter {
  readonly #db: Database;
  readonly #tally: Tally;
  readonly #hasUniqueIds: boolean;
  readonly #users = new Set<string>();
  readonly #channels = new Map<string, number>();
  readonly #insert: Statement;
  readonly #doubt: Statement;
  #row = 0;

  /** `hasUniqueIds`: as `OpenSource` says it. */
  constructor(db: Database, tally: Tally, hasUniqueIds: boolean) {
    this.#db = db;
    this.#tally = tally;
    this.#hasUniqueIds = hasUniqueIds;
    this.#insert = db.prepare(
      `INSERT INTO messages (row, id, channel, at, ordinal, thread, pinned, json) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO NOTHING`,
    );
    this.#doubt = db.prepare("INSERT INTO doubts VALUES (?, ?, ?)");
    db.run("BEGIN");
  }

  get channelIds(): ReadonlySet<string> {
    return new Set(this.#channels.keys());
  }

  /** Messages added so far. */
  get size(): number {
    return this.#row;
  }

  hasUser = (id: string): boolean => this.#users.has(id);

  user(item: Item<SourceUser>): void {
    if ("leftOut" in item) this.#tally.leaveOut(item.leftOut);
    else if (this.#users.has(item.item.id)) this.#leaveOutSecond("user", item.item.id);
    else this.#addUser(item.item);
  }

  channel(item: Item<SourceChannel>): void {
    if ("leftOut" in item) this.#tally.leaveOut(item.leftOut);
    else if (this.#channels.has(item.item.id)) this.#leaveOutSecond("channel", item.item.id);
    else this.#addChannel(item.item);
  }

  message(item: Item<SourceMessage>): void {
    if ("leftOut" in item) this.#tally.leaveOut(item.leftOut);
    else this.#addMessage(this.#withFewReactions(item.item));
  }

  /** Commits what was added, and begins the next transaction. */
  commit(): void {
    this.#db.run("COMMIT");
    this.#db.run("BEGIN");
  }

  #leaveOutSecond(kind: "user" | "channel" | "message", example: string): void {
    this.#tally.leaveOut({ kind, reason: "duplicate", example });
  }

  #addUser(user: SourceUser): void {
    if (this.#users.size === USERS_MAX) throw tooMany("200,000 people and bots");
    this.#users.add(user.id);
    this.#db.query("INSERT INTO users VALUES (?, ?)").run(user.id, JSON.stringify(user));
    this.#tally.user(user.kind);
  }

  #addChannel(channel: SourceChannel): void {
    if (this.#channels.size === CHANNELS_MAX) throw tooMany("50,000 channels");
    const number = this.#channels.size + 1;
    this.#channels.set(channel.id, number);
    const { memberIds, ...facts } = channel;
    this.#db
      .query("INSERT INTO channels VALUES (?, ?, ?, ?)")
      .run(number, channel.id, JSON.stringify(facts), JSON.stringify(memberIds));
    this.#tally.channel(channel.id);
  }

  #addMessage(message: SourceMessage): void {
    if (!this.#insertOnce(message)) {
      this.#leaveOutSecond("message", message.id);
      return;
    }
    this.#tally.message(message, { reactions: this.#reactions(message), mentions: this.#mentions(message) });
    if (this.#row % ROWS_PER_COMMIT === 0) this.commit();
  }

  /** Two messages with one id are one if they are equal; otherwise the later one gets its number. */
  #insertOnce(message: SourceMessage): boolean {
    const { at, order, threadId, isPinned } = message;
    const [channel, json, row] = [this.#channels.get(message.channelId) ?? 0, jsonOf(message), this.#row + 1];
    for (let number = 1; number <= SAME_ID_MAX; number += 1) {
      const id = number === 1 ? message.id : `${message.id}/${number}`;
      const { changes } = this.#insert.run(row, id, channel, at, order, threadId, isPinned ? 1 : 0, json);
      if (changes === 1) {
        this.#row = row;
        return true;
      }
      if (this.#hasUniqueIds) return false;
      const there = this.#db.query<{ json: string }, [string]>("SELECT json FROM messages WHERE id = ?").get(id);
      if (there?.json === json) return false;
    }
    return false;
  }

  #withFewReactions(message: SourceMessage): SourceMessage {
    const { reactions } = message;
    if (reactions.length <= REACTIONS_PER_MESSAGE) return message;
    const times = reactions.slice(REACTIONS_PER_MESSAGE).reduce((sum, { userIds }) => sum + userIds.length, 0);
    this.#tally.leaveOut({ kind: "reaction", reason: "more_than_20", example: message.id, times });
    return { ...message, reactions: reactions.slice(0, REACTIONS_PER_MESSAGE) };
  }

  #reactions({ reactions }: SourceMessage): number {
    let count = 0;
    for (const { userIds } of reactions) {
      count += userIds.length;
      for (const id of userIds) if (!this.#users.has(id)) this.#doubt.run(this.#row, "reaction", id);
    }
    return count;
  }

  #mentions({ id, text }: SourceMessage): number {
    const people = mentionedIn(text);
    const taken = people.slice(0, MENTIONS_PER_MESSAGE);
    const times = people.length - taken.length;
    if (times > 0) this.#tally.leaveOut({ kind: "mention", reason: "more_than_20", example: id, times });
    for (const person of taken) if (!this.#users.has(person)) this.#doubt.run(this.#row, "mention", person);
    return taken.length;
  }
}

const tooMany = (what: string): SourceError =>
  new SourceError(`The export has more than ${what}. Parley cannot import so many.`);
