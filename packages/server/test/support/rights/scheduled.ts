import type { ObjectKind } from "./objects.ts";
import * as on from "./objects.ts";
import { body, json, type Recipe, reads } from "./recipe.ts";
import * as reminders from "./reminders.ts";
import { isUser } from "./roles.ts";
import * as saved from "./saved.ts";
import type { RightsWorld } from "./world.ts";

const NEVER = 999_999_999;
/** Half a year ahead of the real clock, which the servers of these tests use. */
const SEND_AT = new Date(Date.now() + 180 * 86_400_000).toISOString();
const MESSAGE = { content: "later", send_at: SEND_AT };

/** Stores a scheduled message of a user; without one, of an agent that no caller is. */
async function scheduledBy(world: RightsWorld, userId: number | null): Promise<number> {
  const row = {
    user_id: userId,
    agent_id: userId === null ? NEVER : null,
    channel_id: NEVER,
    content: "later",
    also_in_channel: 0 as const,
    send_at: Date.parse(SEND_AT),
    status: "waiting" as const,
    created_at: world.ctx.clock.now(),
  };
  const made = world.ctx.db.insertInto("scheduled_messages").values(row);
  return (await made.returning("id").executeTakeFirstOrThrow()).id;
}

const message: ObjectKind = {
  targets: [{ of: "own" }, { of: "another's" }, { of: "absent" }],
  notFound: "scheduled_not_found",
  async get(world, { of }, role) {
    if (of === "absent") return { scheduled_id: NEVER };
    if (of === "own" && !isUser(role)) return null;
    return { scheduled_id: await scheduledBy(world, (of === "own" ? world.user(role) : world.author).userId) };
  },
};

const othersMessage: ObjectKind = {
  ...message,
  targets: [{ of: "another's" }],
  get: async (world) => ({ scheduled_id: await scheduledBy(world, null) }),
};

/** The recipes of messages that are sent later, saved or forwarded. */
export const ROUTES: Readonly<Record<string, readonly Recipe[]>> = {
  ...saved.ROUTES,
  ...reminders.ROUTES,
  "POST /api/scheduled": [reads("send", on.channel, body(["channel_id"], MESSAGE))],
  "GET /api/scheduled": [reads("own scheduled messages")],
  "PUT /api/scheduled/:scheduled_id": [reads("change scheduled message", message, json({ content: "other" }))],
  "DELETE /api/scheduled/:scheduled_id": [reads("change scheduled message", message)],
  "POST /api/agenthub/scheduled": [reads("send as agent", on.channel, body(["channel_slug"], MESSAGE))],
  "GET /api/agenthub/scheduled": [reads("read own inbox")],
  "PUT /api/agenthub/scheduled/:scheduled_id": [
    reads("change own scheduled message", othersMessage, json({ content: "other" })),
  ],
  "DELETE /api/agenthub/scheduled/:scheduled_id": [reads("change own scheduled message", othersMessage)],
};
