import type { ObjectKind } from "./objects.ts";
import * as on from "./objects.ts";
import { body, changes, json, type Recipe, reads } from "./recipe.ts";

/** A channel to forward to, with a message that everybody may read. */
const target: ObjectKind = {
  ...on.channel,
  async get(world, of, role) {
    const { message_id: messageId } = await world.stage("public");
    return { ...(await on.channel.get(world, of, role)), messageId };
  },
};

/** A message with an end far ahead, so that no copy of what is said in a closed channel is found in an open one. */
const source: ObjectKind = {
  ...on.message,
  async get(world, of, role) {
    const handles = await on.message.get(world, of, role);
    const ending = world.ctx.db.updateTable("messages").set({ expires_at: 4_000_000_000_000 });
    await ending.where("id", "=", Number(handles?.messageId ?? 0)).execute();
    return handles;
  },
};

export const ROUTES: Readonly<Record<string, readonly Recipe[]>> = {
  "GET /api/saved": [reads("own saved messages")],
  "GET /api/saved/ids": [reads("own saved messages")],
  "PUT /api/saved/:messageId": [reads("save message", on.message)],
  "DELETE /api/saved/:messageId": [reads("own saved messages", on.nothing, () => ({ params: { messageId: "1" } }))],
  "POST /api/messages/:messageId/forward": [
    reads("forward message", source, json({ channel_slug: "general" })),
    changes("send", target, body(["channel_id"])),
  ],
  "GET /api/forwards": [reads("find sources", on.nothing, () => ({ query: { message_ids: "1" } }))],
};
