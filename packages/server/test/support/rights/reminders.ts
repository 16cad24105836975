import type { ObjectKind } from "./objects.ts";
import * as on from "./objects.ts";
import { body, json, type Recipe, reads } from "./recipe.ts";
import { isUser } from "./roles.ts";
import type { RightsWorld } from "./world.ts";

const NEVER = 999_999_999;
/** Half a year ahead of the real clock, which the servers of these tests use. */
const REMIND_AT = new Date(Date.now() + 180 * 86_400_000).toISOString();

async function reminderOf(world: RightsWorld, userId: number): Promise<number> {
  const row = {
    user_id: userId,
    message_id: NEVER,
    channel_id: NEVER,
    remind_at: Date.parse(REMIND_AT),
    status: "waiting" as const,
    created_at: world.ctx.clock.now(),
  };
  return (await world.ctx.db.insertInto("reminders").values(row).returning("id").executeTakeFirstOrThrow()).id;
}

const reminder: ObjectKind = {
  targets: [{ of: "own" }, { of: "another's" }, { of: "absent" }],
  notFound: "reminder_not_found",
  async get(world, { of }, role) {
    if (of === "absent") return { reminder_id: NEVER };
    if (of === "own" && !isUser(role)) return null;
    return { reminder_id: await reminderOf(world, (of === "own" ? world.user(role) : world.author).userId) };
  },
};

/** Removes what earlier trials have made, so that no caller comes to the limit. */
const message: ObjectKind = {
  ...on.message,
  async get(world, target, role) {
    await world.ctx.db.deleteFrom("reminders").execute();
    return on.message.get(world, target, role);
  },
};

export const ROUTES: Readonly<Record<string, readonly Recipe[]>> = {
  "POST /api/reminders": [reads("make reminder", message, body(["message_id"], { remind_at: REMIND_AT }))],
  "GET /api/reminders": [reads("own reminders")],
  "PUT /api/reminders/:reminder_id": [reads("change reminder", reminder, json({ note: "other" }))],
  "DELETE /api/reminders/:reminder_id": [reads("change reminder", reminder)],
};
