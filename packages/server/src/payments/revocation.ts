import { type AppContext, perServer } from "../context.ts";
import type { PaymentRow } from "./payments.store.ts";

/**
 * Takes back what a payment bought, in the transaction that revokes it. Called for every payment; a listener handles
 * only its own resources.
 */
export type OnRevoked = (ctx: AppContext, payment: Pick<PaymentRow, "resource" | "principal">) => Promise<void>;

const listeners = perServer((): OnRevoked[] => []);

/** Registers a listener that ends a lasting purchase. Call it once per seller, at start. */
export const onRevoked = (ctx: AppContext, act: OnRevoked): void => void listeners(ctx).push(act);

export async function tellRevoked(ctx: AppContext, payment: Pick<PaymentRow, "resource" | "principal">): Promise<void> {
  for (const act of listeners(ctx)) await act(ctx, payment);
}
