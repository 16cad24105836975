import { counted } from "../../base/counted.ts";
import type { Db } from "../../db/db.ts";
import { blockOf, type ImportRow, listImports } from "../imports.store.ts";
import * as outside from "./outside.store.ts";
import * as store from "./undo.store.ts";

/** Channels, users or agents that one statement asks about. */
const AT_ONCE = 500;

/** The ids of everything but messages that an import has made. */
export interface Made {
  channels: readonly number[];
  users: readonly number[];
  agents: readonly number[];
}

/**
 * Returns why an import cannot be undone: who has used what it made. Nothing if nobody has. While other imports may use
 * it, only they are named: what they have made is not what people have done.
 */
export async function inTheWay(db: Db, row: ImportRow, made: Made): Promise<string[]> {
  const others = await importsInTheWay(db, row, made);
  return others.length > 0 ? others : usedByPeople(db, row, made);
}

/** Returns the imports that may use what this one has made. */
export async function importsInTheWay(db: Db, { id, source }: ImportRow, made: Made): Promise<string[]> {
  const { channels, users, agents } = made;
  if (channels.length + users.length + agents.length === 0) return [];
  // Another import of the same workspace takes the people and channels that it finds, and does not note which.
  const later = (await listImports(db, source)).filter((row) => row.id > id && row.status !== "undone");
  const using = new Set(later.map((row) => row.id));
  for (const some of inParts(users))
    for (const other of await outside.importsUsing({ db, importId: id }, some)) using.add(other);
  return [...using]
    .sort((one, other) => other - one)
    .map((other) => `import ${other} uses its people and channels: undo import ${other} first`);
}

async function usedByPeople(db: Db, { id, status }: ImportRow, { channels, users, agents }: Made): Promise<string[]> {
  const block = (await blockOf(db, id)) ?? { first_id: 0, last_id: 0 };
  const of = { db, importId: id };
  let [written, joined, claimed, keys, direct, memberships, owned, follows, files] = [0, 0, 0, 0, 0, 0, 0, 0, 0];
  for (const some of inParts(channels)) {
    written += (await store.countOthers(db, some, block)) + (await store.countEvents(db, some));
    // Before it is opened, nobody can join.
    if (status === "done") joined += await store.countJoined(db, some, id);
  }
  for (const some of inParts(users)) {
    claimed += await store.countClaimed(db, some);
    direct += await outside.countDirect(of, some);
    memberships += await outside.countMemberships(of, some);
    owned += await outside.countOwned(of, some);
    follows += await outside.countFollows(of, some);
    files += await outside.countFiles(of, "user_id", some, block);
  }
  for (const some of inParts(agents)) {
    keys += await store.countWithKeys(db, some);
    direct += await outside.countAgentDirect(of, some);
    memberships += await outside.countAgentMemberships(of, some);
    files += await outside.countFiles(of, "agent_id", some, block);
  }
  const reasons: [number, string][] = [
    [written, `${written} messages, reactions or other changes were made in its channels`],
    [joined, `${joined} people have joined its channels`],
    [claimed, `people have claimed or deleted ${counted(claimed, "account")} of it`],
    [keys, `people have claimed ${counted(keys, "agent")} of it`],
    [direct, `its people are in ${counted(direct, "direct conversation")} that the import has not made`],
    [memberships, `its people have ${counted(memberships, "membership")} in other channels`],
    [owned, `its people own ${counted(owned, "channel or agent", "channels or agents")} that the import has not made`],
    [follows, `its people follow ${counted(follows, "thread")} in other channels`],
    [files, `its people have ${counted(files, "file")} that the import has not stored`],
  ];
  return reasons.flatMap(([count, reason]) => (count === 0 ? [] : [reason]));
}

function* inParts(ids: readonly number[]): Generator<readonly number[]> {
  for (let from = 0; from < ids.length; from += AT_ONCE) yield ids.slice(from, from + AT_ONCE);
}
