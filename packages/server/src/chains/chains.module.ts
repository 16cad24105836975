import type { Module } from "../module.ts";
import { checkEvmChain, checkSolana } from "./doctor.ts";
import { loadedChains } from "./start.ts";

export const chains: Module = {
  name: "chains",
  isValue: true,
  doctor: [checkEvmChain, checkSolana],
  start: loadedChains,
};
