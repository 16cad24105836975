import type { Module } from "../../module.ts";
import { walletRoutes } from "./wallets.routes.ts";

/** The proofs of wallets, by which payments and red packets know their payers and payees. */
export const wallets: Module = {
  name: "wallets",
  isValue: true,
  routes: walletRoutes,
};
