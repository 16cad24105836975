import { andThen } from "../../base/maybe-promise.ts";
import { type Scheduler, systemScheduler } from "../../base/scheduler.ts";
import { type AppContext, perServer } from "../../context.ts";
import { frameOf } from "../frame-text.ts";
import { publishEvent } from "../publish.ts";
import { channelTopic } from "../topics.ts";

/** In a cluster, a channel's indicators are sent together, once in this interval. */
const MERGE_MS = 100;
/** In a cluster nobody is shown as typing above this many online: each indicator goes to all of them. */
const ONLINE_MAX = 1_000;

/** Someone who begins or stops typing. */
export interface Typing {
  kind: "user" | "agent";
  name: string;
  typing: boolean;
  /** Absent: in the channel itself. Everybody is in one place at a time. */
  thread_root_id?: number;
}

/** The states that wait to be sent, by channel and actor. A channel with an empty map has sent something just now. */
type Waiting = Map<number, Map<string, Typing>>;

const waiting = perServer((): Waiting => new Map());

/**
 * Shows or hides someone as typing to everybody who listens to the channel. A cluster sends only each actor's newest
 * state, every 100 ms, and none in a channel with more than 1,000 online.
 */
export function publishTyping(
  ctx: AppContext,
  channelId: number,
  typing: Typing,
  scheduler: Scheduler = systemScheduler,
): void {
  if (ctx.cluster === null) {
    publishEvent(ctx, channelTopic(channelId), "typing", { channel_id: channelId, ...typing });
    return;
  }
  const channels = waiting(ctx);
  const actor = `${typing.kind}:${typing.name}`;
  const found = channels.get(channelId);
  if (found !== undefined) {
    found.set(actor, typing);
    return;
  }
  channels.set(channelId, new Map());
  send(ctx, channelId, [typing]);
  const next = () => {
    const due = channels.get(channelId);
    if (due === undefined || due.size === 0) {
      channels.delete(channelId);
      return;
    }
    channels.set(channelId, new Map());
    send(ctx, channelId, [...due.values()]);
    scheduler.after(MERGE_MS, next);
  };
  scheduler.after(MERGE_MS, next);
}

function send(ctx: AppContext, channelId: number, due: readonly Typing[]): void {
  const messages = due.map((typing) => ({
    event: "typing",
    frame: frameOf("typing", JSON.stringify({ channel_id: channelId, ...typing })),
  }));
  // Presence never rejects.
  void andThen(ctx.presence.counts([channelId]), ([online]) => {
    if ((online?.count ?? 0) <= ONLINE_MAX) ctx.broker.publish(channelTopic(channelId), messages);
  });
}
