import { type SlotLimits, Slots } from "../../base/slots.ts";
import { runOnOne } from "../../cluster/duties.ts";
import type { AppContext } from "../../context.ts";
import { contentOf } from "./content.ts";
import * as store from "./queue.store.ts";
import { type Delivery, sendPush } from "./send-push.ts";
import { visiblePages } from "./visible-pages.ts";

const EVERY_MS = 1_000;
const AT_ONCE = 200;
/** Pushes that may be under way: in all, to the browsers of one user, and to one service. The others wait. */
const UNDER_WAY: SlotLimits<"service"> = { total: 64, perOwner: 10, shares: { service: 8 }, waiting: 0, waitMs: 0 };
const SERVICE_BUSY_MS = 2_000;
const TRIES = 3;
const BACKOFF_MS = [10_000, 60_000] as const;
/** Failed pushes in a row that end a subscription. */
const FAILURES_MAX = 10;
/** Pushes to a browser in a minute, whatever the number of channels that call. */
const PER_MINUTE = 10;
const MINUTE_MS = 60_000;
/** As the idle limit of sessions. */
const IDLE_MS = 7 * 24 * 60 * 60 * 1_000;
const SWEEP_MS = 10 * 60 * 1_000;
/** How long a server that stops waits for the services. */
const FAREWELL_MS = 2_000;

/**
 * Sends what is queued, on one node. A row stays until its push service has answered, so a crash loses nothing; one in
 * between sends it again, with the same topic and tag.
 */
export class Pusher {
  readonly #ctx: AppContext;
  /** The pushes that are under way, by `<subscription>:<channel>`. */
  readonly #underWay = new Set<string>();
  readonly #slots = new Slots(UNDER_WAY);
  readonly #sending = new Set<Promise<void>>();
  #lane: Promise<void> = Promise.resolve();
  #stopped = false;
  #closed = false;

  constructor(ctx: AppContext) {
    this.#ctx = ctx;
  }

  start(): void {
    const ctx = this.#ctx;
    runOnOne(ctx, "send push messages", EVERY_MS, "sending push messages failed", () => this.pass());
    runOnOne(ctx, "sweep push messages", SWEEP_MS, "the sweep of push messages failed", () =>
      store.forgetSent(ctx.db, ctx.clock.now() - store.FOLD_MS),
    );
    ctx.onClose(async () => {
      this.#stopped = true;
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, FAREWELL_MS);
      await Promise.race([this.settled(), late]);
      clearTimeout(timer);
      this.#closed = true;
    });
  }

  /**
   * Begins to send what is due, as far as the services are free. Resolves before the services have answered. Passes wait
   * for each other: two at once would send the same row twice.
   */
  pass(): Promise<void> {
    const passed = this.#lane.then(() => this.#pass());
    this.#lane = passed.catch(() => {});
    return passed;
  }

  async #pass(): Promise<void> {
    if (this.#stopped) return;
    const { db, clock } = this.#ctx;
    const now = clock.now();
    // One that ends while the rows are read may be among them as it was before.
    const underWay = new Set(this.#underWay);
    const due = (await store.duePushes(db, now, AT_ONCE)).filter((row) => !underWay.has(keyOf(row)));
    if (due.length === 0) return;
    const users = [...new Set(due.map(({ user_id }) => user_id))];
    const looking = await visiblePages(this.#ctx).among(users);
    const ids = [...new Set(due.map(({ subscription_id }) => subscription_id))];
    const sent = await store.sentSince(db, ids, now - MINUTE_MS);
    for (const row of due) {
      const count = (sent.get(row.subscription_id) ?? 0) + 1;
      const isLive = row.expires_at > now && row.last_seen_at > now - IDLE_MS;
      if (!isLive || looking.has(row.user_id)) await store.endPush(db, row, null);
      else if (count > PER_MINUTE) await store.postponePush(db, row, { due_at: now + MINUTE_MS });
      else if (this.#begin(row)) sent.set(row.subscription_id, count);
      else await store.postponePush(db, row, { due_at: now + SERVICE_BUSY_MS });
    }
  }

  /** Resolves when no push is under way. */
  async settled(): Promise<void> {
    await Promise.all(this.#sending);
  }

  /** Begins to send a push. Returns false if too many are under way. */
  #begin(row: store.DueRow): boolean {
    const leave = this.#slots.enter({ owner: `${row.user_id}`, shares: { service: serviceOf(row.endpoint) } });
    if (leave === undefined) return false;
    this.#underWay.add(keyOf(row));
    const sending = this.#deliver(row)
      .catch((err: unknown) => this.#ctx.log.warn({ err }, "sending a push message failed"))
      .finally(() => {
        leave();
        this.#underWay.delete(keyOf(row));
        this.#sending.delete(sending);
      });
    this.#sending.add(sending);
    return true;
  }

  async #deliver(row: store.DueRow): Promise<void> {
    const { db } = this.#ctx;
    const payload = await contentOf(this.#ctx, row);
    if (payload === null) return store.endPush(db, row, null);
    const delivery = await sendPush(this.#ctx, row, payload);
    // The database may be closed: the push is sent again by the next server.
    if (this.#closed) return;
    await this.#conclude(row, delivery);
  }

  async #conclude(row: store.DueRow, delivery: Delivery): Promise<void> {
    const { db, clock, log } = this.#ctx;
    const now = clock.now();
    const service = serviceOf(row.endpoint);
    switch (delivery.status) {
      case "delivered":
        await store.endPush(db, row, now);
        return store.updateSubscription(db, row.subscription_id, { failures: 0, last_sent_at: now });
      case "gone":
        log.debug({ service }, "a push subscription is gone");
        return store.endSubscription(db, row.subscription_id);
      case "busy":
        return store.postponePush(db, row, { due_at: now + SERVICE_BUSY_MS });
      default: {
        const tries = row.tries + 1;
        const wait = Math.max(BACKOFF_MS[tries - 1] ?? 0, delivery.retryAfterMs);
        log.debug({ service, tries, reason: delivery.reason }, "a push service did not take a message");
        if (tries < TRIES) return store.postponePush(db, row, { due_at: now + wait, tries });
        if (row.failures + 1 >= FAILURES_MAX) {
          log.info({ service, reason: delivery.reason }, "a push subscription ended after ten failed pushes");
          return store.endSubscription(db, row.subscription_id);
        }
        await store.endPush(db, row, null);
        return store.updateSubscription(db, row.subscription_id, { failures: row.failures + 1 });
      }
    }
  }
}

const keyOf = ({ subscription_id, channel_id }: store.DueRow): string => `${subscription_id}:${channel_id}`;
const serviceOf = (endpoint: string): string => new URL(endpoint).host;
