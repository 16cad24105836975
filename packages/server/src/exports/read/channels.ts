import type { Db } from "../../db/db.ts";
import { type ChannelChoice, checkChoice, chosenSlug, isChosen } from "../../imports/channel-choice.ts";
import type { SourceChannel } from "../../imports/source.ts";
import { ExportRefused } from "../refusal.ts";
import { allChannels, type ChannelRow, countMessages, membersOf, type Pair, pairs } from "./channels.store.ts";
import type { People, Person } from "./people.ts";

/** A channel or conversation of an export. */
export interface ExportChannel {
  readonly id: number;
  /** As the server names it, and as other chats will. */
  readonly slug: string;
  readonly name: string;
  readonly kind: SourceChannel["kind"];
  readonly topic: string;
  readonly description: string;
  readonly ownerId: number | null;
  readonly createdAt: number;
  /** The people of a conversation of two; null: it is none. */
  readonly pair: Pair | null;
  /** Messages of all kinds, deleted ones among them. */
  readonly messages: number;
}

/** Imports give such slugs to conversations of several people. */
const TALK = /^direct-[0-9a-f]{20}$/;

/** Returns the channels that the choice takes, and how many it does not. Errors: `SourceError` for a name that no channel has. */
export async function chosenChannels(
  db: Db,
  choice: ChannelChoice,
): Promise<{ channels: ExportChannel[]; leftOut: { id: number; kind: ExportChannel["kind"] }[] }> {
  const [rows, conversations] = [await allChannels(db), await pairs(db)];
  const named = rows.map((row) => ({ row, id: String(row.id), name: row.slug, kind: kindOf(row, conversations) }));
  checkChoice(choice, new Set(named.flatMap(({ id, name }) => [id, name])), "This server");
  const taken = named.filter((channel) => isChosen(choice, channel));
  const slugs = taken.map((channel) => chosenSlug(choice, channel) ?? channel.name);
  const twice = slugs.find((slug, at) => slugs.indexOf(slug) !== at);
  if (twice !== undefined) throw new ExportRefused(`--channels gives two channels the name ${twice}.`);
  const counts = await countMessages(
    db,
    taken.map(({ row }) => row.id),
  );
  return {
    channels: taken.map(({ row, kind, ...named }) => ({
      id: row.id,
      slug: chosenSlug(choice, { ...named, kind }) ?? row.slug,
      name: row.name,
      kind,
      topic: row.topic ?? "",
      description: row.description ?? "",
      ownerId: row.owner_id,
      createdAt: row.created_at,
      pair: conversations.get(row.id) ?? null,
      messages: counts.get(row.id) ?? 0,
    })),
    leftOut: named.filter((channel) => !isChosen(choice, channel)).map(({ row, kind }) => ({ id: row.id, kind })),
  };
}

/** A channel with a price is not for everybody. */
function kindOf(
  { id, slug, owner_id, is_private, price }: ChannelRow,
  conversations: ReadonlyMap<number, Pair>,
): ExportChannel["kind"] {
  if (conversations.has(id)) return "direct";
  if (is_private === 1 && owner_id === null && TALK.test(slug)) return "group";
  return is_private === 1 || price !== null ? "private" : "public";
}

/** Somebody who belongs to a channel. */
export interface Membership {
  readonly person: Person;
  readonly isAdmin: boolean;
}

/** Returns those who belong to a channel and are taken, each once. */
export async function channelMembers(db: Db, people: People, { id, pair }: ExportChannel): Promise<Membership[]> {
  const found = new Map<Person, Membership>();
  const add = (person: Person, isAdmin: boolean): void => {
    if (person.isTaken) found.set(person, { person, isAdmin });
  };
  if (pair !== null) for (const person of people.ofPair(pair)) add(person, false);
  else {
    const { users, agents } = await membersOf(db, id);
    for (const { user_id, role } of users) add(people.userOf(user_id), role !== "member");
    for (const { agent_id } of agents) add(people.agentOf(agent_id), false);
  }
  return [...found.values()];
}
