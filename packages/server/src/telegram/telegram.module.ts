import { onMe } from "../agents/inbox/me.ts";
import { commandBook } from "../agents/kinds/commands.ts";
import { type Module, routesOf } from "../module.ts";
import { telegramCommands } from "./command-book.ts";
import { telegramRoutes } from "./telegram.routes.ts";
import { telegramFacts } from "./telegram-facts.ts";
import { telegramRoutesOf } from "./telegram-routes.ts";
import { startTelegramWebhooks } from "./webhook-sender.ts";

export const telegram: Module = {
  name: "telegram",
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
    commandBook(ctx, telegramCommands);
  },
  start: startTelegramWebhooks,
};
