import type { AppContext } from "../context.ts";

const [BEFORE_EVENT, BEFORE_DATA, AFTER_DATA] = ['{"event":"', '","data":', "}"] as const;

/** The frame `{event, data}` around data that is JSON text already. This and its inverse alone know how a frame looks. */
export function frameOf(event: string, dataJson: string): string {
  return BEFORE_EVENT + event + BEFORE_DATA + dataJson + AFTER_DATA;
}

/** What `frameOf` made a frame of, without reading the data. */
export function frameParts(frame: string): { event: string; dataJson: string } {
  const end = frame.indexOf(BEFORE_DATA, BEFORE_EVENT.length);
  return {
    event: frame.slice(BEFORE_EVENT.length, end),
    dataJson: frame.slice(end + BEFORE_DATA.length, -AFTER_DATA.length),
  };
}

/**
 * Sends a passing event (protocol §8) to everyone who hears the topic, on every node, after the commit of the transaction
 * it is called in. Durable events go through the message feed instead: they need a `seq`.
 */
export function publishEvent(ctx: AppContext, topic: string, event: string, data: unknown): void {
  const frame = frameOf(event, JSON.stringify(data));
  ctx.afterCommit(() => ctx.broker.publish(topic, [{ event, frame }]));
}
