import { Alarm } from "../../base/timers.ts";
import { type AppContext, perServer } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { type NamingMessage, onNaming } from "../../messages/message-hooks.ts";
import { madePromptly, notifyNaming } from "./make-notifications.ts";

/** Delay from a commit to the notifications, in milliseconds. */
const EVERY_MS = 300;
/** Messages of one transaction: on SQLite it holds the thread, so it should be short. */
const AT_ONCE = 32;
/** The share of the time that this takes, and the longest rest: also a slow server handles 64 messages a second. */
const SHARE = 0.02;
const REST_MAX_MS = 500;
/** Messages that may wait. The consumer handles those beyond them. */
const WAITING_MAX = 5_000;

/**
 * Makes the notifications of messages that mention somebody as soon as they are committed. The consumer of notifications
 * comes to each of them, too, and finds them made; but on a busy server it is behind, because it reads all that happens.
 * This is only the fast way: what a crash or an error loses here, the consumer makes.
 */
class PromptMentions {
  readonly #ctx: AppContext;
  readonly #alarm: Alarm;
  readonly #waiting = new Map<number, NamingMessage>();
  #working: Promise<void> | undefined;
  #stopped = false;
  #unhear = () => {};

  constructor(ctx: AppContext) {
    this.#ctx = ctx;
    this.#alarm = new Alarm(ctx.clock, () => {
      this.#working ??= this.#work();
    });
  }

  start(): void {
    this.#unhear = onNaming(this.#ctx, (message) => {
      if (this.#waiting.size >= WAITING_MAX) return;
      const { id, channel_id, seq } = message;
      this.#waiting.set(id, { id, channel_id, seq });
      if (!this.#alarm.isSet && this.#working === undefined) this.#alarm.set(EVERY_MS);
    });
    this.#ctx.onClose(() => this.stop());
  }

  /** Hears no more messages. The consumer makes the notifications of those that wait. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unhear();
    this.#alarm.clear();
    await this.#working;
  }

  /** Handles the oldest messages, then rests. */
  async #work(): Promise<void> {
    const { clock, log } = this.#ctx;
    const messages = [...this.#waiting.values().take(AT_ONCE)];
    for (const { id } of messages) this.#waiting.delete(id);
    let spent = 0;
    try {
      await transact(this.#ctx, async (ctx) => {
        const started = clock.monotonic();
        await notifyNaming(ctx, messages);
        spent = clock.monotonic() - started;
      });
      madePromptly(this.#ctx).add(messages.map(({ id }) => id));
    } catch (err) {
      log.warn({ err }, "making notifications of mentions failed; the consumer makes them later");
    }
    this.#working = undefined;
    if (this.#stopped || this.#waiting.size === 0) return;
    this.#alarm.set(
      Math.min(REST_MAX_MS, Math.max(spent / SHARE - spent, AT_ONCE > this.#waiting.size ? EVERY_MS : 0)),
    );
  }
}

/** Starts making notifications of mentions promptly, until the server closes. */
export const startPromptMentions: (ctx: AppContext) => PromptMentions = perServer((ctx) => {
  const mentions = new PromptMentions(ctx);
  mentions.start();
  return mentions;
});
