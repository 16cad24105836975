import { type AppContext, perServer } from "../../context.ts";
import { inStatements } from "../../db/statements/sized-statement.ts";
import * as store from "./sessions.store.ts";

/** Sessions fall due together, for example after a start; uses within this time share one write. */
const TOGETHER_MS = 200;

/** Batches the writes of session uses, with a callback for each session that no longer exists. */
class LastSeen {
  readonly #ctx: AppContext;
  #due = new Map<number, () => void>();
  /** When the newest of them was used. */
  #usedAt = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(ctx: AppContext) {
    this.#ctx = ctx;
    ctx.onClose(async () => {
      if (this.#timer !== null) clearTimeout(this.#timer);
      await this.#write();
    });
  }

  note(sessionId: number, gone: () => void): void {
    this.#due.set(sessionId, gone);
    this.#usedAt = this.#ctx.clock.now();
    if (this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.#write();
    }, TOGETHER_MS);
    this.#timer.unref();
  }

  async #write(): Promise<void> {
    const due = this.#due;
    this.#due = new Map();
    const usedAt = this.#usedAt;
    try {
      for (const ids of inStatements([...due.keys()])) {
        const alive = new Set(await store.touchSessions(this.#ctx.db, ids, usedAt));
        for (const id of ids) if (!alive.has(id)) due.get(id)?.();
      }
    } catch (error) {
      this.#ctx.log.warn({ err: error, sessions: due.size }, "storing last_seen_at of sessions failed");
    }
  }
}

const lastSeen = perServer((ctx) => new LastSeen(ctx.root));

/**
 * Schedules a write of the session's last use, without delaying the caller; losing it would only make the session look
 * idle for longer. Calls `gone` when the session no longer exists in the database.
 */
export function noteSeen(ctx: AppContext, sessionId: number, gone: () => void): void {
  lastSeen(ctx).note(sessionId, gone);
}
