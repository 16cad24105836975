import type { AppContext } from "../context.ts";

/** The frame `{event, data}` around data that is JSON text already. The one place that knows how a frame looks. */
export function frameOf(event: string, dataJson: string): string {
  return `{"event":"${event}","data":${dataJson}}`;
}

/**
 * Sends a passing event (contract, section 8) to everyone who hears the topic, on every node, after the commit of the transaction
 * it is called in. Durable events go through the message feed instead: they need a `seq`.
 */
export function publishEvent(ctx: AppContext, topic: string, event: string, data: unknown): void {
  const frame = frameOf(event, JSON.stringify(data));
  ctx.afterCommit(() => ctx.broker.publish(topic, [{ event, frame }]));
}
