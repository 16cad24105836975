import type { Module } from "../module.ts";
import { stickerRoutes } from "./stickers.routes.ts";
import { startStickerSweep } from "./sweep.ts";

export const stickers: Module = {
  name: "stickers",
  routes: stickerRoutes,
  start: startStickerSweep,
};
