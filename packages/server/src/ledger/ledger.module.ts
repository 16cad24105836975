import type { Module } from "../module.ts";
import { exportLedger } from "./statement.ts";

export const ledger: Module = {
  name: "ledger",
  exports: { ledger: exportLedger },
};
