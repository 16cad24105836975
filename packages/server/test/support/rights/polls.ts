import { cardOf } from "../../../src/polls/poll-record.ts";
import { checkPoll, newPoll } from "../../../src/polls/poll-rules.ts";
import type { ObjectKind } from "./objects.ts";
import * as on from "./objects.ts";
import { body, json, type Recipe, reads } from "./recipe.ts";
import type { RightsWorld } from "./world.ts";

const POLL = { question: "Tea?", options: ["Yes", "No"] };

/** Has a message show a new poll. */
async function shown(world: RightsWorld, messageId: number): Promise<number> {
  const card = cardOf(newPoll(checkPoll(POLL), null));
  await world.ctx.db.updateTable("messages").set({ card }).where("id", "=", messageId).execute();
  const { channel_id } = await world.ctx.db
    .selectFrom("messages")
    .select("channel_id")
    .where("id", "=", messageId)
    .executeTakeFirstOrThrow();
  const row = { message_id: messageId, channel_id, closes_at: null, closed_at: null };
  await world.ctx.db.insertInto("polls").values(row).execute();
  return messageId;
}

/** A new poll. */
const poll: ObjectKind = {
  ...on.message,
  notFound: "poll_not_found",
  async get(world, target, role) {
    const { place = "absent", of } = target;
    const stage = await world.stage(place);
    if (place === "absent" || place === "deleted") return { ...stage, poll_id: stage.message_id };
    if (of === "own") {
      const own = await on.message.get(world, target, role);
      return own === null ? null : { ...stage, poll_id: await shown(world, Number(own.messageId)) };
    }
    return { ...stage, poll_id: await shown(world, await world.say(stage.channel_id, world.author)) };
  },
};
const anyPoll: ObjectKind = { ...poll, targets: on.channel.targets };

export const ROUTES: Readonly<Record<string, readonly Recipe[]>> = {
  "POST /api/polls": [reads("send", on.channel, body(["channel_id"], POLL))],
  "POST /api/agenthub/polls": [
    reads("send as agent", on.channel, body(["channel_slug"], { ...POLL, agent_name: "PlatformAgent" })),
  ],
  "PUT /api/polls/:poll_id/vote": [reads("vote", anyPoll, json({ option_ids: [1] }))],
  "POST /api/polls/:poll_id/close": [reads("close poll", poll)],
};
