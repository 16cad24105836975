import type { Module } from "../module.ts";
import { eraseStickerFiles, eraseStickers } from "./erase.ts";
import { stickerRoutes } from "./stickers.routes.ts";
import { startStickerSweep } from "./sweep.ts";

export const stickers: Module = {
  name: "stickers",
  routes: stickerRoutes,
  erase: {
    stickers: eraseStickers,
    sticker_files: eraseStickerFiles,
  },
  start: startStickerSweep,
};
