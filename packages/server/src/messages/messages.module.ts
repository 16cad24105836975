import { startPurge } from "../channels/deleted/purge.ts";
import type { Module } from "../module.ts";
import { eraseEvents, eraseMessages } from "./erase.ts";
import { ownMessages } from "./history/all-messages.ts";
import { messageRoutes } from "./messages.routes.ts";
import { purgeSome } from "./removal.ts";

declare module "../audit/audit.ts" {
  interface AuditActs
    extends Record<"channel_export" | "guard_clear" | `message_${"delete" | "pin" | "unpin"}`, true> {}
}

export const messages: Module = {
  name: "messages",
  routes: messageRoutes,
  tags: { Messages: "Sending, reading, searching, editing, pinning, reporting and reacting." },
  erase: { messages: eraseMessages, events: eraseEvents },
  exports: { messages: (ctx, { userId }) => ownMessages(ctx, userId) },
  start: (ctx) => startPurge(ctx, purgeSome),
};
