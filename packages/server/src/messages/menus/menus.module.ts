import type { Module } from "../../module.ts";
import { onMessageChange } from "../message-change.ts";
import { onRemoval } from "../removal.ts";
import { startMenus } from "./ends.ts";
import { forgetMenus, forgetPressesOf } from "./menus.store.ts";

export const menus: Module = {
  name: "menus",
  register(ctx) {
    onMessageChange(ctx, async (ctx, { id, deleted_at }) => {
      if (deleted_at !== null) await forgetMenus(ctx.db, [id]);
    });
    onRemoval(ctx, async (ctx, ids) => {
      await forgetMenus(ctx.db, ids);
      await forgetPressesOf(ctx.db, ids);
    });
  },
  start: startMenus,
};
