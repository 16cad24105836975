import { WAIT_MAX_SECONDS } from "@parley/protocol/limits";
import type { AppContext } from "../context.ts";
import type { AgentIdentity } from "../http/identity.ts";
import { recheckKey, watchKey } from "./keys.ts";
import { holdOpen } from "./streams.ts";

export interface Poll {
  caller: AgentIdentity;
  /** What the wait is for is announced here. */
  topic: string;
  /** Above 30 is clamped (protocol §5). */
  seconds: number;
  /** The request's: nobody waits for a client that is gone. */
  signal: AbortSignal;
}

/**
 * Looks; when there is nothing, waits for the topic and looks again, until there is something or the time is over. Null then, and
 * when the server drains. A key that is revoked meanwhile ends it with its error.
 */
export async function poll<T>(
  ctx: AppContext,
  { caller, topic, seconds, signal }: Poll,
  look: () => Promise<T | null>,
): Promise<T | null> {
  const found = await look();
  if (found !== null || seconds <= 0 || signal.aborted) return found;
  const bell = new Bell();
  const close = () => bell.close();
  const release = holdOpen(ctx, caller.agentId, close);
  // What became of the key since it was looked up is not heard: it is asked again.
  let keyChanged = true;
  const unwatch = watchKey(ctx, caller.keyId, () => {
    keyChanged = true;
    bell.ring();
  });
  const listening = ctx.hub.listen(topic, () => bell.ring());
  const timer = setTimeout(close, Math.min(seconds, WAIT_MAX_SECONDS) * 1_000);
  signal.addEventListener("abort", close);
  try {
    // Only from here on nothing is missed, so what came before is looked for once more.
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
    unwatch();
    release();
  }
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
