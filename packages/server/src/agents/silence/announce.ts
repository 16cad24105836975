import { LRUCache } from "lru-cache";
import { notify } from "../../accounts/notices.ts";
import type { Channel } from "../../channels/channel.ts";
import { findChannel } from "../../channels/channel-cache.ts";
import { channelsOfAgent } from "../../channels/members/agents-online.ts";
import { type AppContext, perServer } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { AppError } from "../../errors.ts";
import { publishEvent } from "../../realtime/publish.ts";
import { channelTopic } from "../../realtime/topics.ts";
import { intervalOf } from "../../timing.ts";
import { channelsOf, ownerOf } from "./silences.store.ts";
import { silencesOf } from "./silences.ts";

/** Changes of a channel within this time are one event. */
const GATHER_MS = 500;
/** Channels that wait to be announced; further ones show it when they are opened. */
const WAITING_MAX = 10_000;
/** A refusal that an agent gets again and again is announced once in this time. */
const AGAIN_MS = 10_000;
const REFUSALS_KEPT = 10_000;

interface Announcing {
  due: Set<number>;
  timer: ReturnType<typeof setTimeout> | null;
  /** When refusals were announced, in monotonic time, by channel, agent and code. */
  refused: LRUCache<string, number>;
}

const announcing = perServer((ctx): Announcing => {
  const made: Announcing = { due: new Set(), timer: null, refused: new LRUCache({ max: REFUSALS_KEPT }) };
  ctx.onClose(() => {
    if (made.timer !== null) clearTimeout(made.timer);
  });
  return made;
});

/** Tells the readers of channels which agents cannot answer now. Several calls within half a second are one event. */
export function announceSilences(ctx: AppContext, channelIds: Iterable<number>): void {
  const own = announcing(ctx);
  for (const id of channelIds) if (own.due.size < WAITING_MAX) own.due.add(id);
  if (own.due.size === 0) return;
  own.timer ??= setTimeout(
    () => {
      own.timer = null;
      announceDue(ctx.root).catch((err: unknown) => ctx.log.warn({ err }, "announcing silent agents failed"));
    },
    intervalOf(ctx, GATHER_MS),
  );
}

async function announceDue(ctx: AppContext): Promise<void> {
  const { due } = announcing(ctx);
  const ids = [...due];
  due.clear();
  for (const id of ids) {
    const channel = await findChannel(ctx, { id });
    if (channel === null) continue;
    publishEvent(ctx, channelTopic(id), "agents:silent", { channel_id: id, silences: await silencesOf(ctx, channel) });
  }
}

/** Announces an agent that was paused, resumed or given other budgets, in its channels. */
export async function announceAgent(ctx: AppContext, agentId: number): Promise<void> {
  // A pause logs the agent out, so what this node knows is asked first.
  const here = channelsOfAgent(ctx, agentId);
  announceSilences(ctx, [...here, ...(await channelsOf(ctx.db, agentId))]);
}

/**
 * Announces that an agent could not send, if the loop guard or a budget is why, and tells its owner of the guard.
 * Budgets have a notice of their own. Runs in the background, and costs nothing for other errors.
 */
export function noteRefusal(ctx: AppContext, agentId: number, channel: Channel, error: unknown): void {
  if (!(error instanceof AppError)) return;
  const { code } = error;
  if (code !== "loop_guard_tripped" && code !== "budget_exhausted") return;
  const { refused } = announcing(ctx);
  const key = `${channel.id} ${agentId} ${code}`;
  const now = ctx.clock.monotonic();
  if ((refused.get(key) ?? Number.NEGATIVE_INFINITY) > now - AGAIN_MS) return;
  refused.set(key, now);
  announceSilences(ctx, [channel.id]);
  if (code === "loop_guard_tripped")
    tellOwner(ctx.root, agentId, "agent_loop_guard", channel).catch((err: unknown) =>
      ctx.log.warn({ err }, "telling the owner of a silent agent failed"),
    );
}

/** Announces the end of a channel's loop guard: the next refusal is announced again. */
export function noteCleared(ctx: AppContext, channelId: number): void {
  const { refused } = announcing(ctx);
  for (const key of [...refused.keys()]) if (key.startsWith(`${channelId} `)) refused.delete(key);
  announceSilences(ctx, [channelId]);
}

/** Tells an agent's verified owner, if it has one, why it is silent. */
export async function tellOwner(
  ctx: AppContext,
  agentId: number,
  code: "agent_loop_guard" | "agent_away",
  channel?: Channel,
): Promise<void> {
  const found = await ownerOf(ctx.db, agentId);
  const owner = found?.owner_user_id ?? null;
  if (owner === null) return;
  const place = channel === undefined ? {} : { channel: { id: channel.id, name: channel.name } };
  await transact(ctx, (ctx) => notify(ctx, owner, { code, subject: found?.name ?? null, ...place }));
}
