import type { ChannelJoinData } from "@parley/protocol/command-data";
import { CHANNELS_PER_SOCKET, RESUME_EVENTS_MAX } from "@parley/protocol/limits";
import type { JoinedChannel } from "@parley/protocol/models";
import type { LiveStream } from "@parley/protocol/streams";
import { enterAsAgent } from "../agents/agents.service.ts";
import { speakerOf } from "../agents/speaker.ts";
import { streamsIn } from "../agents/streams/streams.service.ts";
import { isBanned } from "../channels/bans/bans.ts";
import { type Channel, type ChannelRef, refOf } from "../channels/channel.ts";
import { joinedRecord } from "../channels/channels.service.ts";
import { enterChannel, type Joined } from "../channels/members/join.service.ts";
import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import { channelFeed, freshFeed } from "../event-log/feed/feed.ts";
import { assertSetUp } from "../http/identity.ts";
import { resume } from "../messages/history/resume.ts";
import { payOnSocket } from "../payments/pay/transports.ts";
import { compactMissed } from "../realtime/compact-frames.ts";
import { heldUsers } from "../realtime/presence/user-list.ts";
import { channelTopic } from "../realtime/topics.ts";
import { assertMayListen } from "./agent-sockets.ts";
import type { Call } from "./call.ts";
import type { Connection } from "./connection.ts";
import { release, subscribe, unsubscribe } from "./subscriptions.ts";

/**
 * Bytes above which a resume is refused and the client pages the history: one ack must fit into the buffer that a slow
 * reader may leave unread.
 */
const RESUME_BYTES = 768 * 1024;
/** How often a join retries because rights changed during it. */
const ATTEMPTS = 20;

/** The events that a resuming client has missed, as far as they have been read. */
class Missed {
  readonly frames: string[] = [];
  /** The last `seq` that the frames cover. */
  upTo: number;
  /** True if the client must page the history: too many events, or another epoch. */
  isLost: boolean;
  /** True if an import has added messages among what was missed. */
  isExtended = false;
  #bytes = 0;

  constructor(afterSeq: number, isSameEpoch: boolean) {
    this.upTo = afterSeq;
    this.isLost = !isSameEpoch;
  }

  /** Reads the events after `upTo` from the database. */
  async read(ctx: AppContext, channel: Channel): Promise<void> {
    const read = await resume(ctx, channel, this.upTo, ctx.epoch, RESUME_BYTES);
    if (read.recovered) this.add(read.framesJson, read.lastSeq);
    else {
      this.isLost = true;
      this.isExtended = read.isExtended;
    }
  }

  add(frames: readonly string[], upTo: number): void {
    this.upTo = upTo;
    for (const frame of frames) {
      this.frames.push(frame);
      this.#bytes += frame.length;
    }
    if (this.frames.length > RESUME_EVENTS_MAX || this.#bytes > RESUME_BYTES) this.isLost = true;
  }
}

/**
 * Subscribes a socket to a channel and acknowledges with the channel's position (protocol §8).
 *
 * Promise: the ack's events and the frames pushed after it are one gapless run of `seq` without duplicates, and no
 * frame arrives before the ack. This holds because the feed passes frames on in order, in the turn in which its
 * `lastSeq` advances; and the last read of `lastSeq`, the subscription and the ack happen in one turn, in which no frames
 * are held back.
 * Errors: those of `enterChannel`, `too_many_channels`, `storage_unavailable`.
 */
export async function joinOnSocket(call: Call, data: ChannelJoinData): Promise<void> {
  const { ctx, connection } = call;
  const entered = await enterFirst(call, data);
  const { ref, password } = entered;
  let { refetchToken } = entered;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const rightsVersion = call.rights.version;
    const pay = payOnSocket(ctx, connection.identity, data.payment_signature ?? null);
    const { channel, role, ...paid } = await enterChannel(ctx, connection.identity, ref, password, pay);
    if (connection.identity.kind === "agent") await assertMayListen(ctx, connection.identity, channel);
    // The token is issued once: a retry finds a member, who pays nothing.
    refetchToken ??= paid.refetchToken;
    if (!connection.isOpen) return;
    const isIn = connection.isIn(channel.id);
    if (!isIn) assertRoomForOne(connection);
    // A socket that resumes an existing subscription receives no events until the ack has given it its position.
    if (isIn && data.after_seq != null) unsubscribe(ctx, connection, channel.id);
    const joined = { channel, role, refetchToken, agentName: entered.agentName };
    if (await enter(call, data, joined, rightsVersion)) return;
  }
  throw fail("overloaded", { retryAfter: 1 });
}

/** Asked before the work of a join, and again in the turn that subscribes: other joins may have come first. */
function assertRoomForOne({ channels }: Connection): void {
  if (channels.length >= CHANNELS_PER_SOCKET) throw fail("too_many_channels");
}

/** How a join finds its channel. An agent has been logged in by then. */
interface Entered {
  ref: ChannelRef;
  password: string | null | undefined;
  refetchToken?: string | undefined;
  agentName?: string | undefined;
}

/** Logs an agent in, as its login over HTTP does; for others there is nothing to do. Errors: those of `enterAsAgent`. */
async function enterFirst({ ctx, connection }: Call, data: ChannelJoinData): Promise<Entered> {
  const { identity } = connection;
  if (identity.kind !== "agent") return { ref: refOf(data), password: data.password };
  const pay = payOnSocket(ctx, identity, data.payment_signature ?? null);
  const agent_name = await speakerOf(ctx, identity.agentId, data.agent_name);
  const { channel, name, refetchToken } = await enterAsAgent(ctx, identity, { ...data, agent_name }, pay);
  return { ref: { id: channel.id }, password: null, refetchToken, agentName: name };
}

/**
 * Reads what the ack needs, then subscribes and answers in one turn. Returns false if rights changed in the meantime.
 */
async function enter(
  call: Call,
  data: ChannelJoinData,
  { channel, role, refetchToken, agentName }: Joined & Pick<Entered, "agentName">,
  rightsVersion: number,
): Promise<boolean> {
  const { readingCtx: ctx, connection } = call;
  const topic = channelTopic(channel.id);
  let isHandedOver = false;
  const retained = ctx.hub.retain(topic);
  const held = ctx.presence.hold(channel.id);
  try {
    await retained;
    if (held instanceof Promise) await held;
    // The ack includes what any node has acknowledged before the join.
    const fresh = freshFeed(ctx, channel.id);
    if (fresh instanceof Promise) await fresh;
    const record = await joinedRecord(ctx, connection.identity, channel);
    const writing = streamsIn(ctx, channel.id);
    const streams = writing === undefined ? undefined : await writing;
    // Members are never banned.
    const isListed = role !== null || !(await isBanned(ctx, connection.identity, channel.id));
    const missed = data.after_seq == null ? null : new Missed(data.after_seq, data.epoch === ctx.epoch);
    for (;;) {
      const feed = channelFeed(ctx, channel.id);
      if (feed instanceof Promise) {
        await feed;
        continue;
      }
      if (missed !== null && !missed.isLost && missed.upTo !== feed.lastSeq) {
        const kept = feed.framesAfter(missed.upTo);
        if (kept === null) {
          await missed.read(ctx, channel);
          continue;
        }
        missed.add(kept, feed.lastSeq);
      }
      // Rights may have ended unheard, and frames are held back that the ack already covers.
      if (call.trust?.isGood === false) {
        await call.trust.good();
        continue;
      }
      // No other code runs between here and the ack.
      if (!connection.isOpen) return true;
      assertSetUp(connection.identity);
      if (call.rights.version !== rightsVersion) return false;
      if (!connection.isIn(channel.id)) {
        assertRoomForOne(connection);
        subscribe(ctx, connection, channel.id, isListed);
        isHandedOver = true;
      }
      const history_extended: true | undefined = missed?.isExtended === true || undefined;
      const more = { refetchToken, agent_name: agentName, streams, history_extended };
      call.ack(ackBody(ctx, { ...record, my_role: role }, feed.lastSeq, missedFrames(call, record, missed), more));
      return true;
    }
  } finally {
    if (!isHandedOver) release(ctx, channel.id);
  }
}

/** The frames of a resume in the socket's form; `none`: the client does not resume, `lost`: it must page the history. */
type MissedFrames = readonly string[] | "none" | "lost";

/** Returns the missed frames as the ack has them, and notes the slug that a socket with compact frames then knows. */
function missedFrames(
  { readingCtx: ctx, connection }: Call,
  { id, channel_slug }: JoinedChannel,
  missed: Missed | null,
) {
  const frames: MissedFrames = missed === null ? "none" : missed.isLost ? "lost" : missed.frames;
  if (!connection.isCompact) return frames;
  const short = compactMissed(typeof frames === "string" ? [] : frames, { channelId: id, slug: channel_slug });
  ctx.hub.compactFrames.joined(id, short.slug);
  return typeof frames === "string" ? frames : short.frames;
}

function ackBody(
  ctx: AppContext,
  record: JoinedChannel,
  lastSeq: number,
  missed: MissedFrames,
  more: {
    refetchToken: string | undefined;
    agent_name: string | undefined;
    streams: LiveStream[] | undefined;
    history_extended: true | undefined;
  },
): string {
  const count = ctx.presence.count(record.id);
  const body = JSON.stringify({
    success: true,
    channel: { ...record, last_seq: lastSeq, online_count: count },
    my_role: record.my_role,
    last_seq: lastSeq,
    epoch: ctx.epoch,
    count,
    guest_count: ctx.presence.guestCount(record.id),
    users: heldUsers(ctx, record.id),
    ...more,
  });
  if (missed === "none") return body;
  const recovery = missed === "lost" ? '"recovered":false' : `"recovered":true,"events":[${missed.join(",")}]`;
  return `${body.slice(0, -1)},${recovery}}`;
}
