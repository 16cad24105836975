import type { Module } from "../module.ts";
import { loadedChains } from "./start.ts";

export const chains: Module = {
  name: "chains",
  start: loadedChains,
};
