import { type AppContext, perServer } from "../../context.ts";
import { type Consumer, consumeMessages } from "../../event-log/consumer.ts";
import { onControl, onControlLost } from "../../realtime/control/control.ts";
import { knownAskers } from "./askers.ts";
import { fits, makeItems, PURPOSE } from "./item-maker.ts";
import { hasAsked } from "./kinds.store.ts";

/** The typical delay of an item. */
const EVERY_MS = 200;
const BATCH = 500;

/** Makes the items that agents asked for, in the background and once for each event. Starts with the first call. */
export const kindsConsumer = perServer(
  (ctx): Consumer =>
    consumeMessages(ctx, { purpose: PURPOSE, everyMs: EVERY_MS, batch: BATCH, fits, handle: makeItems }),
);

/**
 * Starts following the log as soon as an agent has ever asked for anything. Until then a message costs nothing here,
 * not even a cursor.
 */
export async function startKinds(ctx: AppContext): Promise<void> {
  await knownAskers(ctx).read();
  let isBegun = false;
  const begin = async () => {
    if (isBegun || !(await hasAsked(ctx.root.db))) return;
    isBegun = true;
    kindsConsumer(ctx);
  };
  onControl(ctx, "agent_changed", begin);
  onControlLost(ctx, begin);
  await begin();
}
