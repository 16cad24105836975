import { Alarm } from "../../base/timers.ts";
import { type AppContext, perServer } from "../../context.ts";
import { onFeedMessage } from "../../event-log/feed/feed-listeners.ts";
import { frameOf } from "../../realtime/frame-text.ts";
import { channelTopic } from "../../realtime/topics.ts";

/** Milliseconds within which changes of a thread are one event. */
const THREAD_UPDATE_MS = 250;

/**
 * Tells the sockets and streams of this node what threads say now (`thread:update`). Each node hears the replies of all
 * nodes through its feeds, so that this needs no messages of its own between nodes, and a client gets one event per
 * thread and 250 ms wherever the replies come from.
 */
class ThreadUpdates {
  readonly #ctx: AppContext;
  readonly #alarm: Alarm;
  /** The changed threads by their roots. */
  readonly #waiting = new Map<number, { channelId: number; thread: string }>();

  constructor(ctx: AppContext) {
    this.#ctx = ctx;
    this.#alarm = new Alarm(ctx.clock, () => this.#tell());
  }

  note(channelId: number, rootId: number, thread: string): void {
    this.#waiting.set(rootId, { channelId, thread });
    this.#alarm.set(THREAD_UPDATE_MS);
  }

  #tell(): void {
    for (const [rootId, { channelId, thread }] of this.#waiting) {
      const event = "thread:update";
      const frame = frameOf(event, `{"channel_id":${channelId},"message_id":${rootId},"thread":${thread}}`);
      this.#ctx.hub.deliver(channelTopic(channelId), [{ event, frame }]);
    }
    this.#waiting.clear();
  }
}

const threadUpdates = perServer((ctx) => new ThreadUpdates(ctx));

/** From now on tells listeners of channels how their threads change. */
export function followThreads(ctx: AppContext): void {
  onFeedMessage(ctx, (channelId, { root }) => {
    if (root !== undefined) threadUpdates(ctx).note(channelId, root.id, root.thread);
  });
}
