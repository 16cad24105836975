import type { Module } from "../module.ts";
import { startRetention } from "./start.ts";

export const retention: Module = {
  name: "retention",
  guide: [
    {
      name: "retention",
      part: "more",
      about: "limits of age, holds, messages that expire",
      text: () => import("../../../../docs/guide/retention.md", { with: { type: "text" } }),
    },
  ],
  start: startRetention,
};
