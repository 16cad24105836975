import type { Module } from "../../module.ts";
import { startRetention } from "./start.ts";

export const retention: Module = {
  name: "retention",
  start: startRetention,
};
