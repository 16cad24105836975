import { beforeDeletion } from "../../channels/settings/settings.service.ts";
import { eraseCards } from "../../messages/cards/erase.ts";
import { startCards, withdrawCards } from "../../messages/cards/expire.ts";
import type { Module } from "../../module.ts";
import { cardRoutes } from "./cards.routes.ts";

declare module "../../audit/audit.ts" {
  interface AuditActs extends Record<`card_${"cancel" | "decide" | "expire" | "press"}`, true> {}
}

export const cards: Module = {
  name: "cards",
  routes: cardRoutes,
  tags: { Cards: "Questions that agents ask with buttons, and the keys that sign how they were answered." },
  erase: { cards: eraseCards },
  guide: [
    {
      name: "cards",
      part: "agents",
      about: "asking people with buttons: approvals, choices, receipts",
      text: () => import("../../../../../docs/guide/cards.md", { with: { type: "text" } }),
    },
  ],
  register: (ctx) => void beforeDeletion(ctx, withdrawCards),
  start: startCards,
};
