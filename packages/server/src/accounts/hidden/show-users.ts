import type { Db } from "../../db/db.ts";
import * as store from "./hidden.store.ts";

/** Users at once: each is in the lists of a few statements. */
const AT_ONCE = 500;

async function inParts(ids: readonly number[], act: (some: readonly number[]) => Promise<void>): Promise<void> {
  for (let from = 0; from < ids.length; from += AT_ONCE) await act(ids.slice(from, from + AT_ONCE));
}

/** Shows accounts that an import has made, under their names, in the caller's transaction. */
export const showUsers = (db: Db, ids: readonly number[], now: number): Promise<void> =>
  inParts(ids, (some) => store.showUsers(db, some, now));

/** Hides such accounts again. */
export const hideUsers = (db: Db, ids: readonly number[]): Promise<void> =>
  inParts(ids, (some) => store.hideUsers(db, some));

/** Deletes hidden accounts, of which nothing is left elsewhere, and frees their names. */
export const deleteUsers = (db: Db, ids: readonly number[]): Promise<void> =>
  inParts(ids, (some) => store.deleteUsers(db, some));
