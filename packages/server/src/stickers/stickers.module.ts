import type { Module } from "../module.ts";
import { wholeList } from "../user-export.ts";
import { eraseStickerFiles, eraseStickers } from "./erase.ts";
import { stickerRoutes } from "./stickers.routes.ts";
import { listStickers } from "./stickers.service.ts";
import { startStickerSweep } from "./sweep.ts";

export const stickers: Module = {
  name: "stickers",
  routes: stickerRoutes,
  erase: {
    stickers: eraseStickers,
    sticker_files: eraseStickerFiles,
  },
  exports: {
    stickers: wholeList(async (ctx, caller) => (await listStickers(ctx, caller, caller.username)).stickers),
  },
  start: startStickerSweep,
};
