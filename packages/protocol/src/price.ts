import { type Static, Type } from "typebox";
import { Amount, model } from "./values.ts";

/** The price of joining a channel (protocol §3, §7). In a file of its own, so that clients that pay load no other records. */
export const Price = model("Price", "The price of joining a channel.", {
  amount: Amount,
  currency: Type.String(),
  chain_id: Type.Integer(),
});
export type Price = Static<typeof Price>;
