import type { Db } from "../../db/db.ts";
import { blockOf } from "../imports.store.ts";
import * as store from "./undo.store.ts";

/** Channels and users that one statement asks about. */
const AT_ONCE = 500;

/** Returns why an import cannot be undone: who has used what it made. Nothing if nobody has. */
export async function inTheWay(
  db: Db,
  importId: number,
  channels: readonly number[],
  users: readonly number[],
): Promise<string[]> {
  const block = (await blockOf(db, importId)) ?? { first_id: 0, last_id: 0 };
  let [written, joined, claimed] = [0, 0, 0];
  for (let from = 0; from < channels.length; from += AT_ONCE) {
    const some = channels.slice(from, from + AT_ONCE);
    written += (await store.countOthers(db, some, block)) + (await store.countEvents(db, some));
    joined += await store.countJoined(db, some, importId);
  }
  for (let from = 0; from < users.length; from += AT_ONCE)
    claimed += await store.countClaimed(db, users.slice(from, from + AT_ONCE));
  return [
    ...(written === 0 ? [] : [`${written} messages, reactions or other changes were made in its channels`]),
    ...(joined === 0 ? [] : [`${joined} people have joined its channels`]),
    ...(claimed === 0 ? [] : [`${claimed} of its accounts were claimed or deleted`]),
  ];
}
