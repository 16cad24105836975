import type { AppContext } from "../../context.ts";
import type { Module } from "../../module.ts";
import { onMessageChange } from "../message-hooks.ts";
import { onRemoval } from "../removal.ts";
import { startMenus } from "./ends.ts";
import { keyboardRoutes } from "./keyboards.routes.ts";
import { forgetKeyboards } from "./keyboards.store.ts";
import { forgetMenus } from "./menus.store.ts";

async function forget(ctx: AppContext, messageIds: readonly number[]): Promise<void> {
  await forgetMenus(ctx.db, messageIds);
  await forgetKeyboards(ctx.db, messageIds);
}

export const menus: Module = {
  name: "menus",
  routes: keyboardRoutes,
  register(ctx) {
    onMessageChange(ctx, async (ctx, { id, deleted_at }) => {
      if (deleted_at !== null) await forget(ctx, [id]);
    });
    onRemoval(ctx, forget);
  },
  start: startMenus,
};
