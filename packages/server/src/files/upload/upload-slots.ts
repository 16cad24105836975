import { type AppContext, perServer } from "../../context.ts";
import { fail } from "../../errors.ts";

/** Uploads in progress on this node: each holds a connection, a file and, for a picture, a place in a queue. */
const ALL_MAX = 32;
const OWN_MAX = 3;

const running = perServer(() => ({ all: 0, own: new Map<string, number>() }));

/** Runs an upload unless too many of this caller, or of all, are running. Errors: `overloaded`. */
export async function inUploadSlot<T>(ctx: AppContext, caller: string, act: () => Promise<T>): Promise<T> {
  const slots = running(ctx);
  const own = slots.own.get(caller) ?? 0;
  if (own >= OWN_MAX)
    throw fail("overloaded", { message: `You are uploading ${OWN_MAX} files already. Wait for one.`, retryAfter: 2 });
  if (slots.all >= ALL_MAX) throw fail("overloaded", { retryAfter: 5 });
  slots.all += 1;
  slots.own.set(caller, own + 1);
  try {
    return await act();
  } finally {
    slots.all -= 1;
    const left = (slots.own.get(caller) ?? 1) - 1;
    if (left === 0) slots.own.delete(caller);
    else slots.own.set(caller, left);
  }
}

/** Returns the number of uploads in progress on this node. */
export const uploadsRunning = (ctx: AppContext): number => running(ctx).all;
