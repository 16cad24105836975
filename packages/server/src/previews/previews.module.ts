import { onPurgePass } from "../channels/deleted/purge.ts";
import { transact } from "../db/transact.ts";
import { onMessageChange } from "../messages/message-hooks.ts";
import { onRemoval } from "../messages/removal.ts";
import type { Module } from "../module.ts";
import { previewMaker } from "./make-previews.ts";
import { release, removePictures } from "./pictures.ts";
import { previewRoutes } from "./previews.routes.ts";
import { deletePicturesOfPurged } from "./previews.store.ts";
import { startPreviewSweep } from "./sweep.ts";

declare module "../audit/audit.ts" {
  interface AuditActs extends Record<"preview_remove", true> {}
}

export const previews: Module = {
  name: "link previews",
  routes: previewRoutes,
  guide: [
    {
      name: "messages",
      part: "more",
      about: "saving and forwarding messages, sending them later, previews of links",
      text: () => import("../../../../docs/guide/messages.md", { with: { type: "text" } }),
    },
  ],
  register(ctx) {
    onMessageChange(ctx, async (ctx, { id, deleted_at }) => {
      if (deleted_at !== null) await removePictures(ctx, [id]);
    });
    onRemoval(ctx, removePictures);
    onPurgePass(ctx, (ctx) => transact(ctx, async (ctx) => release(ctx, await deletePicturesOfPurged(ctx.db))));
  },
  async start(ctx) {
    if (ctx.config.linkPreviews) await previewMaker(ctx).start();
    startPreviewSweep(ctx);
  },
};
