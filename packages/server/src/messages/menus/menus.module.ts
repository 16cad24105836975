import type { Module } from "../../module.ts";
import { onMessageChange } from "../message-hooks.ts";
import { onRemoval } from "../removal.ts";
import { startMenus } from "./ends.ts";
import { forgetMenus } from "./menus.store.ts";

export const menus: Module = {
  name: "menus",
  register(ctx) {
    onMessageChange(ctx, async (ctx, { id, deleted_at }) => {
      if (deleted_at !== null) await forgetMenus(ctx.db, [id]);
    });
    onRemoval(ctx, (ctx, ids) => forgetMenus(ctx.db, ids));
  },
  start: startMenus,
};
