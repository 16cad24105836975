import { CHANNEL_NAME_MAX, SLUG_MAX } from "@parley/protocol/limits";
import type { AppContext } from "../../context.ts";
import type { Db } from "../../db/db.ts";
import { AppError } from "../../errors.ts";
import { recordControl } from "../../realtime/control/control.ts";
import { channelChanged } from "../channel-cache.ts";
import { type ChannelPatch, takenSlugs } from "../channels.store.ts";
import { insertDirectChannel, pairOf } from "../direct/direct.store.ts";
import { channelName, freeSlug, slugOf } from "../settings/channel-name.ts";
import * as store from "./hidden.store.ts";

/** A channel of an import, whose people are those of Parley. */
export interface HiddenChannel {
  /** As in the source; a name that Parley does not allow is replaced. */
  name: string;
  /** The wanted slug; undefined: that of the name. */
  slug?: string | undefined;
  /** The slug is random, so no other channel has it: looking for it would take as long as there are channels. */
  isRandomSlug?: boolean;
  isPrivate: boolean;
  topic: string | null;
  isReadOnly: boolean;
  ownerId: number | null;
  memberIds: readonly number[];
  agentIds: readonly number[];
  createdAt: number;
}

/** Makes a channel that nobody sees until `showChannels`, in the caller's transaction. Returns its id and slug. */
export async function makeHidden(ctx: AppContext, channel: HiddenChannel): Promise<{ id: number; slug: string }> {
  const name = allowedName(channel.name);
  const base = channel.slug ?? (await slugOf(name));
  const slug = channel.isRandomSlug === true ? base : freeSlug(base, await allSlugs(ctx.db, base));
  const settings: ChannelPatch = { topic: channel.topic, ...(channel.isReadOnly ? { post_policy: "admins" } : {}) };
  const id = await store.insertHidden(ctx.db, {
    ...settings,
    name,
    slug,
    is_private: channel.isPrivate ? 1 : 0,
    owner_id: channel.ownerId,
    created_at: channel.createdAt,
  });
  await addPeople(ctx, id, channel);
  return { id, slug };
}

/** As `takenSlugs`, with those of hidden channels, which need them when they are shown. */
async function allSlugs(db: Db, base: string): Promise<Set<string>> {
  const taken = await takenSlugs(db, base);
  for (const slug of await store.hiddenSlugs(db, base)) taken.add(slug);
  return taken;
}

async function addPeople(ctx: AppContext, id: number, channel: HiddenChannel): Promise<void> {
  const { ownerId, createdAt: joined_at } = channel;
  const members = new Set(ownerId === null ? channel.memberIds : [ownerId, ...channel.memberIds]);
  const roleOf = (userId: number) => (userId === ownerId ? ("owner" as const) : ("member" as const));
  const all = [...members];
  // Their rows need more memory than their numbers.
  for (let from = 0; from < all.length; from += AT_ONCE) {
    const some = all.slice(from, from + AT_ONCE);
    await store.addMembers(
      ctx.db,
      some.map((user_id) => ({ channel_id: id, user_id, role: roleOf(user_id), joined_at })),
    );
  }
  await store.addAgents(
    ctx.db,
    [...new Set(channel.agentIds)].map((agent_id) => ({ channel_id: id, agent_id, joined_at })),
  );
}

/** Returns the name, or the nearest one that a channel may have. */
function allowedName(text: string): string {
  const bare = text.replace(/[^\p{L}\p{N}\p{P} ]/gu, "");
  const latin = text.replace(/[^A-Za-z0-9 ,._-]/g, "");
  for (const name of [text, bare, latin, "channel"]) {
    try {
      return channelName([...name].slice(0, CHANNEL_NAME_MAX).join(""));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }
  return "channel";
}

/** Channels at once: each is in the lists of a few statements. */
const AT_ONCE = 500;

/**
 * Shows hidden channels, in the caller's transaction; everybody in them has read everything. One whose slug was taken
 * meanwhile gets a number. `directIds`: those that are conversations of two; if the two have one already, it becomes a
 * private channel of the two. Running servers learn of it by `control_log`.
 */
export async function showChannels(
  ctx: AppContext,
  ids: readonly number[],
  directIds: ReadonlySet<number>,
): Promise<void> {
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const some = ids.slice(from, from + AT_ONCE);
    for (const { id, slug } of await store.slugsInTheWay(ctx.db, some))
      await store.setSlug(ctx.db, id, freeSlug(slug, await allSlugs(ctx.db, slug)));
    await store.showChannels(ctx.db, some, ctx.clock.now());
    await showDirect(
      ctx,
      some.filter((id) => directIds.has(id)),
    );
    for (const id of some) await announce(ctx, id);
  }
}

async function showDirect(ctx: AppContext, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const people = new Map<number, number[]>();
  for (const { channel_id, user_id } of await store.membersOf(ctx.db, ids))
    people.set(channel_id, [...(people.get(channel_id) ?? []), user_id]);
  for (const [id, [one, other, ...more]] of people)
    if (one !== undefined && other !== undefined && more.length === 0)
      await insertDirectChannel(ctx.db, pairOf(one, other), id);
}

/** Hides channels, in the caller's transaction. Their messages stay until they are removed. */
export async function hideChannels(ctx: AppContext, ids: readonly number[]): Promise<void> {
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const some = ids.slice(from, from + AT_ONCE);
    await store.hideChannels(ctx.db, some);
    for (const id of some) {
      await announce(ctx, id);
      if (ctx.cluster === null) await recordControl(ctx.db, ctx.clock, "channel_deleted", id);
    }
  }
}

/** Tells this process and, if this is the command line, a running server. */
async function announce(ctx: AppContext, id: number): Promise<void> {
  channelChanged(ctx, id);
  if (ctx.cluster === null) await recordControl(ctx.db, ctx.clock, "channel_changed", id);
}

/** Deletes hidden channels, whose messages are gone, in the caller's transaction. */
export const deleteHidden = store.deleteHidden;

/**
 * Makes a hidden channel of the people of another one, for its older messages. Returns its id and slug; null if the other
 * one is deleted.
 */
export async function makeBeside(
  ctx: AppContext,
  other: number,
  { ending, topic, isRandomSlug }: { ending: string; topic: string; isRandomSlug: boolean },
): Promise<{ id: number; slug: string } | null> {
  const facts = await store.factsOf(ctx.db, other);
  if (facts === null || facts.deleted_at !== null) return null;
  const { memberIds, agentIds } = await store.peopleOf(ctx.db, other);
  const name = [...facts.name].slice(0, CHANNEL_NAME_MAX - ending.length - 3).join("");
  return makeHidden(ctx, {
    name: `${name} (${ending})`,
    slug: isRandomSlug
      ? `direct-${Buffer.from(ctx.clock.random(10)).toString("hex")}`
      : `${facts.slug.slice(0, SLUG_MAX - ending.length - 5)}-${ending}`,
    isRandomSlug,
    isPrivate: facts.is_private === 1,
    topic,
    isReadOnly: true,
    ownerId: facts.owner_id,
    memberIds,
    agentIds,
    createdAt: facts.created_at,
  });
}

export const { factsOf, keepPeopleOf, readByMembers, setLastMessageAt } = store;
