import type { Kysely } from "kysely";
import { historyWentBack } from "../../cluster/history-went-back.ts";
import type { AppContext } from "../../context.ts";
import type { Tables } from "../../db/tables/tables.ts";
import type { MessageRow } from "../message-json.ts";
import { lastSeqs, messagesBefore } from "../rows.ts";

/** Messages kept in memory per channel. */
export const TAIL_MAX = 200;
/** Bytes of the messages kept per channel, but always the newest one: more than fifty of the longest ones. */
export const TAIL_BYTES_MAX = 1024 * 1024;
/** Messages read first: the newest page of the usual size. */
const FIRST = 50;

/** The newest messages of a channel. */
export interface Tail {
  /** Newest first, at most `TAIL_MAX`. */
  rows: readonly MessageRow[];
  /** True if there are older messages than these. */
  hasOlder: boolean;
}

/**
 * Reads the messages of a channel that its feed keeps, before `seq` (exclusive). Of long messages it reads only the
 * newest page: the others would not fit, and reading them leaves four times the garbage.
 */
export async function readTail(db: Kysely<Tables>, channelId: number, seq: number): Promise<Tail> {
  const first = await messagesBefore(db, channelId, seq, FIRST + 1);
  const last = first[FIRST];
  if (last === undefined) return { rows: first, hasOlder: false };
  const bytes = first.reduce((sum, { content }) => sum + 2 * content.length, 0);
  if (bytes * (TAIL_MAX / FIRST) > TAIL_BYTES_MAX) return { rows: first.slice(0, FIRST), hasOlder: true };
  const rows = [...first, ...(await messagesBefore(db, channelId, last.seq, TAIL_MAX - FIRST))];
  return { rows: rows.slice(0, TAIL_MAX), hasOlder: rows.length > TAIL_MAX };
}

/** Queries at a time; further requests share the next one. */
const AT_ONCE = 2;

interface Round {
  channelIds: Set<number>;
  read: Promise<ReadonlyMap<number, number>>;
}

/**
 * Reads from the database how far channels have come, in one query for all that ask in a turn of the event loop. Such a
 * read also finds out whether history went back.
 */
export class TailReads {
  readonly #ctx: AppContext;
  readonly #passedOn: (channelId: number) => number | undefined;
  #next: Round | undefined;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** `passedOn` returns the last seq that this node has delivered of a channel; undefined: none. */
  constructor(ctx: AppContext, passedOn: (channelId: number) => number | undefined) {
    this.#ctx = ctx;
    this.#passedOn = passedOn;
  }

  /** Returns the channel's last committed seq, by a query that begins after this call; undefined if it is gone. */
  async of(channelId: number): Promise<number | undefined> {
    this.#next ??= this.#begin();
    this.#next.channelIds.add(channelId);
    return (await this.#next.read).get(channelId);
  }

  /** Returns the last committed seqs of the channels that exist, by one query for up to 512. */
  async ofAll(channelIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const before = channelIds.map((id) => this.#passedOn(id) ?? -1);
    const found = await lastSeqs(this.#ctx.db, channelIds);
    for (const [at, channelId] of channelIds.entries()) {
      const last = found.get(channelId);
      const passedOn = before[at] ?? -1;
      if (last !== undefined && last < passedOn) await this.#confirm(channelId, passedOn);
    }
    return found;
  }

  /** Asks a second time before it reports lost history, because that stops every node. */
  async #confirm(channelId: number, passedOn: number): Promise<void> {
    const last = (await lastSeqs(this.#ctx.db, [channelId])).get(channelId);
    if (last !== undefined && last < passedOn) await historyWentBack(this.#ctx, { channelId, passedOn, found: last });
  }

  #begin(): Round {
    const channelIds = new Set<number>();
    const read = this.#turn().then(async () => {
      this.#next = undefined;
      try {
        return await this.ofAll([...channelIds]);
      } finally {
        this.#running -= 1;
        this.#waiting.shift()?.();
      }
    });
    return { channelIds, read };
  }

  /** Resolves in a later turn, when fewer than `AT_ONCE` queries run. */
  async #turn(): Promise<void> {
    await new Promise(setImmediate);
    if (this.#running >= AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running += 1;
  }
}
