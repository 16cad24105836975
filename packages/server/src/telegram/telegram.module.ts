import { onMe } from "../agents/inbox/me.ts";
import { nameOfBot } from "../agents/kinds/commands.ts";
import { type Module, routesOf } from "../module.ts";
import { onRedeemed } from "../setup-codes/claim-code.service.ts";
import { botOf } from "./bots.ts";
import { ownerRoutes, telegramRoutes } from "./telegram.routes.ts";
import { telegramFacts, telegramToken } from "./telegram-facts.ts";
import { telegramRoutesOf } from "./telegram-routes.ts";
import { startTelegramWebhooks } from "./webhook-sender.ts";

export const telegram: Module = {
  name: "telegram",
  routes: ownerRoutes,
  doors: telegramRoutes(),
  guide: [
    {
      name: "telegram",
      part: "agents",
      about: "bots that were made for Telegram, at /telegram: only the address changes",
      text: () => import("../../../../docs/guide/telegram.md", { with: { type: "text" } }),
    },
  ],
  register(ctx, all) {
    telegramRoutesOf(ctx).provide(() => routesOf(all));
    onMe(ctx, telegramFacts);
    nameOfBot(ctx, async (ctx, id) => (await botOf(ctx, id))?.name ?? null);
    onRedeemed(ctx, telegramToken);
  },
  start: startTelegramWebhooks,
};
