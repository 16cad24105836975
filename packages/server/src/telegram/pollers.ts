import { type AppContext, perServer } from "../context.ts";
import { frameOf } from "../realtime/frame-text.ts";

/** At most one conflict answer in this time for each bot, so that two pollers do not spin. */
const CONFLICT_MS = 3_000;
const POLL_EVENT = "telegram:poll";

/** When each bot's last conflict is answered, as `clock.monotonic` counts. */
const conflicts = perServer(() => new Map<number, number>());

/** The topic on which the pollers of a bot hear of each other, on every node. */
export const pollTopic = (botId: number): string => `t:${botId}`;

/** One waiting call of getUpdates. */
export interface Polling extends Disposable {
  /** Aborted when another poller took over, or the client disconnected. */
  readonly signal: AbortSignal;
  /** True if another poller took over. */
  readonly isReplaced: boolean;
}

/**
 * Tells the other pollers of the bot, on all nodes, that this one has begun, and from then on hears of newer ones. The
 * newer one stays (protocol §15.3).
 */
export async function beginPolling(ctx: AppContext, botId: number, client: AbortSignal): Promise<Polling> {
  const own = Buffer.from(ctx.clock.random(8)).toString("hex");
  const replaced = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const topic = pollTopic(botId);
  const stop = ctx.hub.listen(topic, (messages) => {
    const isOther = messages.some(({ frame }) => pollOf(frame) !== own);
    if (isOther && timer === undefined) timer = setTimeout(() => replaced.abort(), delayOf(ctx, botId));
  });
  await stop.ready;
  ctx.broker.publish(topic, [{ event: POLL_EVENT, frame: frameOf(POLL_EVENT, JSON.stringify({ poll: own })) }]);
  return {
    signal: AbortSignal.any([client, replaced.signal]),
    get isReplaced() {
      return replaced.signal.aborted;
    },
    [Symbol.dispose]() {
      stop();
      clearTimeout(timer);
    },
  };
}

/** Returns how long the answer of a conflict waits, and takes its place. */
function delayOf(ctx: AppContext, botId: number): number {
  const all = conflicts(ctx);
  const now = ctx.clock.monotonic();
  for (const [id, at] of all) if (at + CONFLICT_MS < now) all.delete(id);
  const at = Math.max(now, (all.get(botId) ?? -CONFLICT_MS) + CONFLICT_MS);
  all.set(botId, at);
  return at - now;
}

const pollOf = (frame: string): unknown => (JSON.parse(frame) as { data?: { poll?: unknown } }).data?.poll;
