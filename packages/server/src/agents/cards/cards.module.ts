import { beforeDeletion } from "../../channels/settings/settings.service.ts";
import { eraseCards } from "../../messages/cards/erase.ts";
import { startCards, withdrawCards } from "../../messages/cards/expire.ts";
import type { Module } from "../../module.ts";
import { cardRoutes } from "./cards.routes.ts";

export const cards: Module = {
  name: "cards",
  routes: cardRoutes,
  erase: { cards: eraseCards },
  register: (ctx) => void beforeDeletion(ctx, withdrawCards),
  start: startCards,
};
