import { makeHidden } from "../../channels/hidden/hidden-channels.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { newestSeq } from "../../event-log/history.ts";
import { type ImportCounts, noCounts } from "../counts.ts";
import { insertItems } from "../map.store.ts";
import type { SourceUser } from "../source.ts";
import type { StagedChannel } from "../stage.ts";
import { type KnownChannel, knownChannels } from "./channels.store.ts";
import type { Person, Place } from "./directory.ts";

export interface ChannelOptions {
  importId: number;
  source: string;
  /** Returns the slug that a channel gets, undefined for that of its name; null if the channel is not taken. */
  slugOf(channel: StagedChannel): string | undefined | null;
  /** The account that owns public channels whose creator is unknown; null: nobody. */
  ownerId: number | null;
}

/** The people of the source, and what they have become. */
export interface Members {
  people: ReadonlyMap<string, Person>;
  users: ReadonlyMap<string, SourceUser>;
  /** Returns the members of a channel. */
  of(channelId: string): readonly string[];
}

/** Channels that one transaction makes, and memberships, but at least one channel. */
const AT_ONCE = 20;
const MEMBERS_AT_ONCE = 20_000;

/** Makes the channels of a source, which nobody sees. Returns all that are taken, also by earlier imports. */
export async function takeChannels(
  ctx: AppContext,
  channels: readonly StagedChannel[],
  members: Members,
  options: ChannelOptions,
  onCounted: (ctx: AppContext, counts: ImportCounts) => Promise<void>,
): Promise<Map<string, Place>> {
  const all = new Map<string, Place>();
  for (const some of inParts(channels, members)) {
    const made = await transact(ctx, async (ctx) => {
      const counts = noCounts();
      const known = await knownChannels(
        ctx.db,
        options.source,
        some.map(({ id }) => id),
      );
      const found = new Map<string, Place>();
      for (const channel of some) {
        const place = await takeChannel(ctx, channel, known.get(channel.id), { members, options, counts });
        if (place !== null) found.set(channel.id, place);
      }
      await onCounted(ctx, counts);
      return found;
    });
    for (const [id, place] of made) all.set(id, place);
  }
  return all;
}

function* inParts(channels: readonly StagedChannel[], { of }: Members): Generator<readonly StagedChannel[]> {
  let [some, members]: [StagedChannel[], number] = [[], 0];
  for (const channel of channels) {
    some.push(channel);
    members += of(channel.id).length;
    if (some.length < AT_ONCE && members < MEMBERS_AT_ONCE) continue;
    yield some;
    [some, members] = [[], 0];
  }
  if (some.length > 0) yield some;
}

interface Taking {
  members: Members;
  options: ChannelOptions;
  counts: ImportCounts;
}

async function takeChannel(
  ctx: AppContext,
  channel: StagedChannel,
  known: KnownChannel | undefined,
  { members, options, counts }: Taking,
): Promise<Place | null> {
  const { kind } = channel;
  if (known !== undefined) {
    const isKnown = known.importId !== options.importId;
    if (isKnown) counts.channels.known += 1;
    return { id: known.id, slug: known.slug, kind, seq: await newestSeq(ctx.db, known.id), isKnown };
  }
  const wanted = options.slugOf(channel);
  const made = wanted === null ? null : factsOf(ctx, channel, members, options);
  if (made === null) {
    counts.channels.left_out += 1;
    return null;
  }
  const isRandomSlug = isTalk(channel);
  const slug = isRandomSlug ? `direct-${Buffer.from(ctx.clock.random(10)).toString("hex")}` : (wanted ?? undefined);
  const { id, slug: taken } = await makeHidden(ctx, { ...made, slug, isRandomSlug });
  const item = { source: options.source, source_id: channel.id, import_id: options.importId };
  await insertItems(ctx.db, [{ ...item, kind: "channel", parley_id: id, content_hash: kind }]);
  counts.channels.taken += 1;
  return { id, slug: taken, kind, seq: 0, isKnown: false };
}

const isTalk = ({ kind }: StagedChannel): boolean => kind === "direct" || kind === "group";

/** Returns what Parley's channel is like; null if there is no such channel in Parley. */
function factsOf(ctx: AppContext, channel: StagedChannel, { people, users, of }: Members, { ownerId }: ChannelOptions) {
  const isGone = (id: string) => users.get(id)?.isGone === true;
  const present = of(channel.id).filter((id) => people.has(id) && (isTalk(channel) || !isGone(id)));
  const found = present.flatMap((id) => people.get(id) ?? []);
  const memberIds = found.flatMap(({ kind, id }) => (kind === "user" ? [id] : []));
  const agentIds = found.flatMap(({ kind, id }) => (kind === "agent" ? [id] : []));
  // A conversation with oneself has no counterpart.
  if (channel.kind === "direct" && found.length < 2) return null;
  const creator = isGone(channel.creatorId ?? "") ? undefined : people.get(channel.creatorId ?? "");
  const ownerOf = () => {
    if (isTalk(channel)) return null;
    if (creator?.kind === "user") return creator.id;
    return channel.kind === "public" ? ownerId : (memberIds[0] ?? null);
  };
  const names = present.map((id) => users.get(id)?.displayName || (people.get(id)?.name ?? id));
  return {
    name: isTalk(channel) ? names.sort().join(", ") : channel.name,
    isPrivate: channel.kind !== "public",
    topic: topicOf(channel),
    isReadOnly: channel.isArchived,
    ownerId: ownerOf(),
    memberIds,
    agentIds,
    createdAt: channel.createdAt ?? ctx.clock.now(),
  };
}

const TOPIC_MAX = 250;
const ARCHIVED = "Archived before the import.";

/** Returns the topic, which says of an archived channel that it is one. */
function topicOf({ topic, isArchived }: StagedChannel): string | null {
  const lines = [topic.replace(/\s+/g, " ").trim(), ...(isArchived ? [ARCHIVED] : [])].filter((line) => line !== "");
  if (lines.length === 0) return null;
  const room = TOPIC_MAX - (isArchived ? ARCHIVED.length + 1 : 0);
  const [first = "", ...rest] = lines;
  return first === ARCHIVED ? first : [[...first].slice(0, room).join(""), ...rest].join(" ");
}
