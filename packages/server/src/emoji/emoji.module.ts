import type { Module } from "../module.ts";
import { emojiRoutes } from "./emoji.routes.ts";
import { emojiTools } from "./emoji-tools.ts";
import { eraseEmoji, exportEmoji } from "./personal-data.ts";

declare module "../audit/audit.ts" {
  interface AuditActs extends Record<"emoji_delete", true> {} // another's
}

export const emoji: Module = {
  name: "emoji",
  routes: emojiRoutes,
  tags: { Emoji: "Pictures with names that people add to the server." },
  erase: { emoji: eraseEmoji },
  exports: { emoji: exportEmoji },
  tools: emojiTools,
  guide: [
    {
      name: "emoji",
      part: "more",
      about: "emoji that people add to the server, and reactions with them",
      text: () => import("../../../../docs/guide/emoji.md", { with: { type: "text" } }),
    },
  ],
};
