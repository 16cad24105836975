import { type AppContext, perServer } from "../context.ts";
import type { PaymentRow } from "./payments.store.ts";

/** Takes back what a payment had bought, in the transaction that revokes it. Hears of every one, and minds those for its own resources. */
export type OnRevoked = (ctx: AppContext, payment: Pick<PaymentRow, "resource" | "principal">) => Promise<void>;

const listeners = perServer((): OnRevoked[] => []);

/** Whoever sells something that lasts says here how it ends. Once each, at start. */
export const onRevoked = (ctx: AppContext, act: OnRevoked): void => void listeners(ctx).push(act);

export async function tellRevoked(ctx: AppContext, payment: Pick<PaymentRow, "resource" | "principal">): Promise<void> {
  for (const act of listeners(ctx)) await act(ctx, payment);
}
