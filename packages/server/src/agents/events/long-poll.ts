import { WAIT_MAX_SECONDS } from "@parley/protocol/limits";
import type { AppContext } from "../../context.ts";
import type { AgentIdentity } from "../../http/identity.ts";
import { onDoubt } from "../../realtime/doubt.ts";
import { watchKey } from "../keys/key-cache.ts";
import { recheckKey } from "../keys/keys.ts";
import { polled } from "../silence/away.ts";
import { isForPeople } from "./for-people.ts";
import { holdOpen } from "./open-stream-limits.ts";

/** Interval at which a poll looks while the bus is in doubt. */
const DOUBTFUL_MS = 1_000;

export interface Poll {
  caller: AgentIdentity;
  /** The topic that announces what the poll waits for. */
  topic: string;
  /** Values above 30 are clamped (protocol §5). */
  seconds: number;
  /** The request's signal: aborts the wait when the client disconnects. */
  signal: AbortSignal;
}

/**
 * Calls `look`; while it finds nothing, waits for the topic and looks again. Returns null on timeout or when the server
 * drains. If the key is revoked during the wait, throws its error.
 */
export async function poll<T>(
  ctx: AppContext,
  { caller, topic, seconds, signal }: Poll,
  look: () => Promise<T | null>,
): Promise<T | null> {
  const found = await look();
  if (seconds > 0) polled(ctx, caller.agentId);
  if (found !== null || seconds <= 0 || signal.aborted) return found;
  const bell = new Bell();
  const close = () => bell.close();
  const release = holdOpen(ctx, caller.agentId, close);
  // A change of the key between authentication and this watch went unnoticed, so check it again.
  let keyChanged = true;
  const unwatch = watchKey(ctx, caller.keyId, () => {
    keyChanged = true;
    bell.ring();
  });
  const listening = ctx.hub.listen(topic, (messages) => {
    if (!messages.every(({ event }) => isForPeople(event))) bell.ring();
  });
  const undoubt = lookInDoubt(ctx, topic, bell);
  const timer = setTimeout(close, Math.min(seconds, WAIT_MAX_SECONDS) * 1_000);
  signal.addEventListener("abort", close);
  try {
    // Nothing is missed from here on, so look once more for what was published before.
    await listening.ready;
    for (;;) {
      if (keyChanged) await recheckKey(ctx, caller);
      keyChanged = false;
      if (signal.aborted) return null;
      const news = await look();
      if (news !== null || bell.closed) return news;
      await bell.next();
    }
  } finally {
    signal.removeEventListener("abort", close);
    clearTimeout(timer);
    listening();
    undoubt();
    unwatch();
    release();
  }
}

/** Rings every second while the bus may lose events of the topic, and when the doubt ends. */
function lookInDoubt(ctx: AppContext, topic: string, bell: Bell): () => void {
  if (ctx.cluster === null) return () => {};
  const timer = setInterval(() => {
    if (ctx.broker.isDoubtful(topic)) bell.ring();
  }, DOUBTFUL_MS);
  const stop = onDoubt(ctx, (lost) => (lost === null || lost === topic) && bell.ring());
  return () => {
    clearInterval(timer);
    stop();
  };
}

/** Wakes one waiter. A ring while nobody waits is kept for the next. */
class Bell {
  closed = false;
  #rung = false;
  #wake: (() => void) | null = null;

  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** Rings for the last time. */
  close(): void {
    this.closed = true;
    this.ring();
  }

  async next(): Promise<void> {
    if (!this.#rung) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#rung = false;
    this.#wake = null;
  }
}
