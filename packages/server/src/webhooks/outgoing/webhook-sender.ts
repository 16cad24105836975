import { type SlotLimits, Slots } from "../../base/slots.ts";
import { runOnOne } from "../../cluster/duties.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { outgoing, type Purpose } from "../../outgoing/outgoing.ts";
import * as deliveries from "./deliveries.store.ts";
import { isHeld, mayStillSend } from "./hook-rights.ts";
import { disableHook } from "./hooks.service.ts";
import { findHook, hooksBehind, lockHook, updateHook } from "./hooks.store.ts";
import { BACKLOG_MAX, makeDeliveries } from "./make-deliveries.ts";
import { waitAfter } from "./retry-schedule.ts";
import { sendDelivery, type Tried } from "./send-delivery.ts";

const EVERY_MS = 500;
const SWEEP_MS = 10 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
const KEEP_DELIVERED_MS = 7 * DAY_MS;
const KEEP_DEAD_MS = 30 * DAY_MS;
/** Delivered rows of one hook that stay: a replay of a long log must not fill the disk. */
const DELIVERED_MAX = 10_000;
const FAILING_MS = 5 * DAY_MS;
/** Longer than a request may take, with its wait for a slot. After a crash another node then tries again. */
const CLAIM_MS = 30_000;
const BUSY_MS = 2_000;
const FULL_MS = 5_000;
const LANE_PAGE = 20;
/**
 * Lanes at a time: of all hooks, of those that one account made, to one host, and to services that are slow. A lane that
 * only waits for a request would keep others from having one.
 */
const LANES: SlotLimits<"host" | "failing"> = {
  total: 14,
  perOwner: 4,
  shares: { host: 2, failing: 4 },
  waiting: 0,
  waitMs: 0,
};
/** How long a lane goes on before others have their turn. */
const TURN_MS = 2_000;
/** How long a server that stops waits for answers. */
const FAREWELL_MS = 2_000;
const GONE = 410;
/** What is sent of an agent that is paused. */
const WHILE_PAUSED = ["agent.paused", "budget.exhausted", "webhook.test"];

/**
 * Reads the logs for all webhooks, and sends what waits, on one node. Each hook has two lanes: one for first tries, in
 * the order of the events, one for retries. Rows are claimed, so that a node which believes for a moment that the duty is
 * still its own sends nothing twice.
 */
export class WebhookSender {
  readonly #ctx: AppContext;
  /** Running lanes, by `<hook> <first>`. */
  readonly #lanes = new Set<string>();
  readonly #slots = new Slots(LANES);
  readonly #running = new Set<Promise<void>>();
  /** Deliveries that may wait for one hook; beyond it the hook keeps its place in the log. Tests lower it. */
  backlogMax = BACKLOG_MAX;
  /** When hooks with a full backlog are looked at again: to count what waits costs more than anything else here. */
  readonly #full = new Map<number, number>();
  #passes = 0;
  #stopped = false;
  #closed = false;

  constructor(ctx: AppContext) {
    this.#ctx = ctx;
  }

  async start(): Promise<void> {
    const ctx = this.#ctx;
    // Tries that an earlier process of a lone server had begun have ended with it.
    if (ctx.cluster === null) await deliveries.endClaims(ctx.db);
    runOnOne(ctx, "send webhooks", EVERY_MS, "sending webhooks failed", () => this.pass());
    runOnOne(ctx, "sweep webhooks", SWEEP_MS, "the sweep of webhooks' deliveries failed", () => this.sweep());
    ctx.onClose(async () => {
      this.#stopped = true;
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, FAREWELL_MS);
      await Promise.race([this.settled(), late]);
      clearTimeout(timer);
      this.#closed = true;
    });
  }

  /** Makes deliveries of what is new and begins to send what is due. Resolves before the answers arrive. */
  async pass(): Promise<void> {
    if (this.#stopped) return;
    const { db, clock } = this.#ctx;
    for (const id of await hooksBehind(db)) {
      // What is wrong with one hook must not stop the others.
      await this.#read(id).catch((err: unknown) => {
        this.#ctx.log.warn({ err, webhookId: id }, "a webhook could not read its events");
      });
    }
    const due = await deliveries.hooksDue(db, clock.now());
    // Another one is first each time, so that nobody's hooks keep all lanes.
    const first = due.length === 0 ? 0 : this.#passes++ % due.length;
    for (const hook of [...due.slice(first), ...due.slice(0, first)]) this.#begin(hook);
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Deletes old deliveries. */
  async sweep(): Promise<void> {
    const { db, clock } = this.#ctx;
    const now = clock.now();
    await deliveries.deleteDone(db, "delivered", now - KEEP_DELIVERED_MS);
    await deliveries.deleteDone(db, "dead", now - KEEP_DEAD_MS);
    for (const id of await deliveries.allHookIds(db)) await deliveries.deleteDeliveredBeyond(db, id, DELIVERED_MAX);
  }

  async #read(id: number): Promise<void> {
    if ((this.#full.get(id) ?? 0) > this.#ctx.clock.now()) return;
    this.#full.delete(id);
    if (!(await this.#mayRead(id))) return;
    let left: Awaited<ReturnType<typeof makeDeliveries>> = "more";
    while (!this.#stopped && left === "more") left = await makeDeliveries(this.#ctx, id, this.backlogMax);
    if (left === "full") this.#full.set(id, this.#ctx.clock.now() + FULL_MS);
  }

  /** Disables a hook whose maker has lost the right to it, before it reads anything more. */
  async #mayRead(hookId: number): Promise<boolean> {
    const hook = await findHook(this.#ctx.db, hookId);
    if (hook === undefined || hook.status === "disabled") return false;
    if (await mayStillSend(this.#ctx, hook)) return true;
    await transact(this.#ctx, (ctx) => disableHook(ctx, hook, "maker_lost_rights"));
    return false;
  }

  #begin(hook: deliveries.DueHook): void {
    const { id: hookId, isFirst } = hook;
    const lane = `${hookId} ${isFirst}`;
    if (this.#lanes.has(lane)) return;
    const purpose: Purpose = { kind: "webhook", owner: ownerOf(hook) };
    const host = URL.parse(hook.url)?.hostname ?? hook.url;
    const failing = outgoing(this.#ctx).isFailing(host, purpose) ? { failing: "" } : {};
    const leave = this.#slots.enter({ owner: purpose.owner, shares: { host, ...failing } });
    if (leave === undefined) return;
    this.#lanes.add(lane);
    const work = this.#run(hook, purpose)
      .catch((err: unknown) => this.#ctx.log.warn({ err, webhookId: hookId }, "a webhook's deliveries failed"))
      .finally(() => {
        leave();
        this.#lanes.delete(lane);
        this.#running.delete(work);
      });
    this.#running.add(work);
  }

  /** Sends one delivery after the other, up to a page and for a short time; a later pass goes on. */
  async #run({ id: hookId, isFirst }: deliveries.DueHook, purpose: Purpose): Promise<void> {
    const { db, clock } = this.#ctx;
    const hook = await findHook(db, hookId);
    if (hook === undefined) return;
    const events = (await isHeld(this.#ctx, hook)) ? WHILE_PAUSED : null;
    const due = await deliveries.nextDeliveries(db, hookId, { isFirst, now: clock.now(), events }, LANE_PAGE);
    const began = clock.monotonic();
    for (const delivery of due) {
      if (this.#stopped || clock.monotonic() - began > TURN_MS) return;
      if (!(await this.#deliver(hookId, delivery, purpose))) return;
    }
  }

  /** Returns false if the lane must wait. */
  async #deliver(hookId: number, delivery: deliveries.DeliveryRow, purpose: Purpose): Promise<boolean> {
    const { db, clock } = this.#ctx;
    if (!(await this.#mayRead(hookId))) return false;
    const hook = await findHook(db, hookId);
    const now = clock.now();
    if (hook === undefined || (!WHILE_PAUSED.includes(delivery.event) && (await isHeld(this.#ctx, hook)))) return false;
    // Another node has it: what follows must not overtake it.
    if (!(await deliveries.claimDelivery(db, delivery, { now, until: now + CLAIM_MS }))) return false;
    const tried = await sendDelivery(this.#ctx, { hook, delivery, purpose });
    // The database may be closed: the next server tries again.
    if (this.#closed) return false;
    if (tried.result === "overloaded") {
      await deliveries.updateDelivery(db, delivery.id, { due_at: clock.now() + BUSY_MS, claimed_until: 0 });
      return false;
    }
    await transact(this.#ctx, (ctx) => conclude(ctx, delivery, tried));
    return true;
  }
}

/** Writes down what became of a try, and what follows from it for the hook. */
async function conclude(ctx: AppContext, delivery: deliveries.DeliveryRow, tried: Tried): Promise<void> {
  const now = ctx.clock.now();
  const hook = await lockHook(ctx.db, delivery.webhook_id);
  if (hook === undefined) return;
  const tries = delivery.tries + 1;
  const isRefused = tried.status === GONE;
  const isOver = tried.isDelivered || tried.isGone || isRefused;
  const [chance = 0] = ctx.clock.random(1);
  const wait = isOver ? null : waitAfter(tries, chance / 255, tried.retryAfter, now);
  await deliveries.updateDelivery(ctx.db, delivery.id, {
    status: tried.isDelivered ? "delivered" : wait === null ? "dead" : "waiting",
    tries,
    due_at: now + (wait ?? 0),
    claimed_until: 0,
    result: tried.result,
    response_status: tried.status,
    response_body: tried.body,
    duration_ms: tried.durationMs,
    done_at: wait === null ? now : null,
  });
  if (tried.isGone) return;
  if (tried.isDelivered) {
    const active = hook.status === "disabled" ? {} : { status: "active" as const };
    await updateHook(ctx.db, hook.id, { ...active, last_success_at: now, failing_since: null });
    return;
  }
  const failing_since = hook.failing_since ?? now;
  await updateHook(ctx.db, hook.id, { last_failure_at: now, failing_since });
  if (hook.status === "disabled") return;
  if (isRefused) await disableHook(ctx, hook, "gone");
  else if (now - failing_since >= FAILING_MS) await disableHook(ctx, hook, "failing");
  else await updateHook(ctx.db, hook.id, { status: "failing" });
}

/** Returns the account that a hook's requests count to: a user has one share, with all agents that are verified as theirs. */
function ownerOf({ created_by_user, agent_owner, agent_id }: deliveries.DueHook): string {
  const userId = created_by_user ?? agent_owner;
  return userId === null ? `a${agent_id}` : `u${userId}`;
}
