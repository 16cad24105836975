import type { AppContext } from "../context.ts";
import { frameOf } from "./frame-text.ts";

/**
 * Publishes an ephemeral event (protocol §8) to all listeners of the topic, on every node, after the commit of the
 * surrounding transaction. Durable events need a `seq`: `appendEvent` publishes them.
 */
export function publishEvent(ctx: AppContext, topic: string, event: string, data: unknown): void {
  const frame = frameOf(event, JSON.stringify(data));
  ctx.afterCommit(() => ctx.broker.publish(topic, [{ event, frame }]));
}
