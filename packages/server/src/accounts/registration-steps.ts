import type { AppContext } from "../context.ts";
import { hook } from "../hook.ts";

/** Runs in the transaction that registers a user. `channelSlug` is the channel that the registration asks for, if any. */
export const onRegistration = hook<(ctx: AppContext, userId: number, channelSlug: string | null) => Promise<unknown>>();
