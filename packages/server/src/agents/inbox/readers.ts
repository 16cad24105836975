import { INBOX_READER_NEW } from "@parley/protocol/inbox";
import type { AppContext } from "../../context.ts";
import { frameOf } from "../../realtime/frame-text.ts";

const READER_EVENT = "inbox:reader";

/** The topic on which the readers of an agent's inbox hear of each other, on every node. */
const readerTopic = (agentId: number): string => `r:${agentId}`;

/** A call that reads the inbox for a program which must be the only one. */
export interface Reading extends Disposable {
  /** The program's number: the newer program has the greater one. */
  readonly reader: string;
  /** Aborted when a newer program reads, or the client disconnected. */
  readonly signal: AbortSignal;
  readonly isReplaced: boolean;
}

/**
 * Announces a program that reads the inbox to the other ones that wait, on all nodes, and hears of newer ones (protocol
 * §5). Nothing is stored: a newer program tells an older one whenever that begins to wait.
 */
export async function beginReading(
  ctx: AppContext,
  agentId: number,
  asked: string,
  client: AbortSignal,
): Promise<Reading> {
  const reader = asked === INBOX_READER_NEW ? newReader(ctx) : asked;
  const replaced = new AbortController();
  const topic = readerTopic(agentId);
  const announce = () =>
    ctx.broker.publish(topic, [{ event: READER_EVENT, frame: frameOf(READER_EVENT, JSON.stringify({ reader })) }]);
  const stop = ctx.hub.listen(topic, (messages) => {
    const others = messages.map(({ frame }) => readerOf(frame)).filter((other) => other !== reader);
    if (others.some((other) => other > reader)) replaced.abort();
    else if (others.length > 0) announce();
  });
  await stop.ready;
  announce();
  return {
    reader,
    signal: AbortSignal.any([client, replaced.signal]),
    get isReplaced() {
      return replaced.signal.aborted;
    },
    [Symbol.dispose]: stop,
  };
}

/** The time in milliseconds, with 13 digits until the year 2286, and chance. */
const newReader = ({ clock }: AppContext): string =>
  `${String(clock.now()).padStart(13, "0")}-${Buffer.from(clock.random(8)).toString("hex")}`;

const readerOf = (frame: string): string => (JSON.parse(frame) as { data: { reader: string } }).data.reader;
