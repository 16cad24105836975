import { makeClaimable } from "../../accounts/claimable/claimable.ts";
import { makeHiddenUser } from "../../accounts/hidden/hidden-users.ts";
import { makeHiddenAgent } from "../../agents/hidden/hidden-agents.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { type ImportCounts, noCounts } from "../counts.ts";
import { hashedSourceId } from "../erased-people.ts";
import { idsOfItems, insertItems } from "../map.store.ts";
import type { SourceUser } from "../source.ts";
import { USED } from "../used.ts";
import type { Person } from "./directory.ts";
import { namesOfAgents, namesOfUsers } from "./people.store.ts";

/** What to do with somebody of the source (`--users map.csv`); absent: make an account. */
export type PersonChoice =
  | { action: "new"; username?: string }
  | { action: "use"; userId: number }
  | { action: "agent" };

export interface PeopleOptions {
  importId: number;
  source: string;
  salt: string;
  /** By the source's ids. */
  choices: ReadonlyMap<string, PersonChoice>;
}

/** Accounts that one transaction makes. */
const AT_ONCE = 100;

/**
 * Makes accounts for the people of a source, and agents for its bots, which nobody sees before the import is opened.
 * Returns all of them, also those whom an earlier import made. People who were erased have no account any more.
 */
export async function takePeople(
  ctx: AppContext,
  people: readonly SourceUser[],
  options: PeopleOptions,
  onCounted: (ctx: AppContext, counts: ImportCounts) => Promise<void>,
): Promise<Map<string, Person>> {
  const all = new Map<string, Person>();
  for (let from = 0; from < people.length; from += AT_ONCE) {
    const some = people.slice(from, from + AT_ONCE);
    const made = await transact(ctx, async (ctx) => {
      const counts = noCounts();
      const known = await knownPeople(ctx, some, options);
      const found = new Map<string, Person>();
      for (const user of some) {
        const person = known.get(user.id);
        if (person === undefined) found.set(user.id, await takePerson(ctx, user, options, counts));
        else if (person !== null) found.set(user.id, person);
      }
      await onCounted(ctx, counts);
      return found;
    });
    for (const [id, person] of made) all.set(id, person);
  }
  return all;
}

/** Returns those who are in the map; null for somebody who was erased. */
async function knownPeople(ctx: AppContext, people: readonly SourceUser[], { source, salt }: PeopleOptions) {
  const ids = people.map(({ id }) => id);
  const users = await idsOfItems(ctx.db, source, "user", ids);
  const agents = await idsOfItems(ctx.db, source, "agent", ids);
  const hashes = new Map(ids.map((id) => [hashedSourceId(salt, id), id]));
  const erased = await idsOfItems(ctx.db, source, "user", [...hashes.keys()]);
  const names = await namesOfUsers(ctx.db, [...users.values()]);
  const agentNames = await namesOfAgents(ctx.db, source, [...agents.keys()]);
  const known = new Map<string, Person | null>();
  for (const [id, userId] of users) known.set(id, personOf("user", userId, names.get(userId)));
  for (const [id, agentId] of agents) known.set(id, personOf("agent", agentId, agentNames.get(id)));
  for (const hash of erased.keys()) known.set(hashes.get(hash) ?? "", null);
  return known;
}

const personOf = (kind: Person["kind"], id: number, name: string | undefined): Person | null =>
  name === undefined ? null : { kind, id, name };

async function takePerson(
  ctx: AppContext,
  user: SourceUser,
  { importId: import_id, source, choices }: PeopleOptions,
  counts: ImportCounts,
): Promise<Person> {
  const choice = choices.get(user.id) ?? { action: "new" };
  const item = { source, source_id: user.id, import_id };
  if (choice.action === "agent" || user.kind === "bot") {
    const { id, name } = await makeHiddenAgent(ctx, user.name);
    // The name is held until the import is opened, and nothing else says whose it is.
    await insertItems(ctx.db, [{ ...item, kind: "agent", parley_id: id, content_hash: name }]);
    counts.agents.taken += 1;
    return { kind: "agent", id, name };
  }
  const made =
    choice.action === "use"
      ? { id: choice.userId, username: (await namesOfUsers(ctx.db, [choice.userId])).get(choice.userId) ?? "" }
      : await makeHiddenUser(ctx, {
          handle: choice.username ?? user.name,
          displayName: user.displayName,
          email: addressOf(user),
          isSuspended: user.isGone,
          createdAt: ctx.clock.now(),
        });
  if (choice.action !== "use") await makeClaimable(ctx, import_id, [made.id]);
  const content_hash = choice.action === "use" ? USED : null;
  await insertItems(ctx.db, [{ ...item, kind: "user", parley_id: made.id, content_hash }]);
  counts.users[choice.action === "use" ? "known" : "taken"] += 1;
  return { kind: "user", id: made.id, name: made.username };
}

/** An address of the reserved domain (RFC 2606) stands for none: exports must name one, also of people who have none. */
const addressOf = ({ email }: SourceUser): string | null => (email?.toLowerCase().endsWith(".invalid") ? null : email);

/** Returns somebody of whom the source knows only an id, as a sender of messages. */
export const unknownPerson = (id: string): SourceUser => ({
  id,
  name: id === "" ? "unknown" : `unknown-${id}`,
  displayName: null,
  email: null,
  kind: "person",
  isGone: true,
});
