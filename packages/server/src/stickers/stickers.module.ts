import type { Module } from "../module.ts";
import { wholeList } from "../user-export.ts";
import { eraseStickerFiles, eraseStickers } from "./erase.ts";
import { stickerRoutes } from "./stickers.routes.ts";
import { listStickers, startStickerSweep } from "./stickers.service.ts";

declare module "../audit/audit.ts" {
  interface AuditActs extends Record<"sticker_delete", true> {}
}

export const stickers: Module = {
  name: "stickers",
  routes: stickerRoutes,
  tags: { Stickers: "GIFs that users upload and everyone may send." },
  erase: {
    stickers: eraseStickers,
    sticker_files: eraseStickerFiles,
  },
  exports: {
    stickers: wholeList(async (ctx, caller) => (await listStickers(ctx, caller, caller.username)).stickers),
  },
  guide: [
    {
      name: "stickers",
      part: "more",
      about: "GIFs that everyone may send",
      text: () => import("../../../../docs/guide/stickers.md", { with: { type: "text" } }),
    },
  ],
  start: startStickerSweep,
};
