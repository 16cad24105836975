import type { Kysely } from "kysely";
import type { Tables } from "../../db/tables/tables.ts";
import type { MessageRow } from "../message-json.ts";
import { messagesBefore } from "../rows.ts";

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
