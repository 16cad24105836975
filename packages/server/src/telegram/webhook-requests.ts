import { type AppContext, perServer } from "../context.ts";
import { Outgoing } from "../outgoing/outgoing.ts";

/** How long a bot may take to answer. */
export const ANSWER_MS = 60_000;

/** The requests to bots, with places of their own: a bot that answers late takes none of those of webhooks and pushes. */
export const telegramOutgoing = perServer(
  (ctx: AppContext): Outgoing =>
    new Outgoing({ allow: ctx.config.egressAllow, clock: ctx.clock, limits: { totalMs: ANSWER_MS } }),
);
