import { describe, expect, test } from "bun:test";
import { endDueInteractions } from "../../src/messages/cards/expire.ts";
import { asked, buttons, pressCard } from "../support/cards.ts";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { Client, eventually } from "../support/servers/test-server.ts";

describe("cards on two nodes", () => {
  test("50 presses at once, and presses against the expiry, have one result each", async () => {
    await using cluster = await startNodes(2, { bus: "memory", config: { rateLimits: "off" } });
    const [one, two] = cluster.nodes;
    if (one === undefined || two === undefined) throw new Error("no nodes");
    const agent = await one.agent("Shipper");
    const crowd = await Promise.all(Array.from({ length: 10 }, (_, n) => (n % 2 ? one : two).user(`crowd-${n}`)));
    const onBoth = crowd.map((person, n) => new Client((n % 2 ? two : one).url, person.credential));
    const ask = () =>
      asked(agent, {
        components: buttons("a", "b", "c", "d", "e"),
        interaction: { kind: "choice", who: { roles: ["member"] } },
      });
    const decisions = async (id: number) =>
      (await agent.get("/api/agenthub/inbox?kinds=decision&limit=200")).body.items.filter(
        (item: { interaction: { interaction_id: number } }) => item.interaction.interaction_id === id,
      );
    const waiting = await ask();
    const answer = new Client(two.url, agent.credential).get(`/api/interactions/${waiting.interaction_id}?wait=30`);
    const presses = await Promise.all(
      onBoth.flatMap((person) =>
        ["a", "b", "c", "d", "e"].map((action) => pressCard(person, waiting.interaction_id, action)),
      ),
    );
    const won = presses.filter(({ status }) => status === 200);
    expect([won.length, (await decisions(waiting.interaction_id)).length]).toEqual([1, 1]);
    // A busy node may have refused the wait, as one that has missed its heartbeat does.
    const { status } = await answer;
    expect([200, 503]).toContain(status);
    const known = await eventually("the other node answers", async () => {
      const { body } = await new Client(two.url, agent.credential).get(`/api/interactions/${waiting.interaction_id}`);
      return body.interaction;
    });
    expect(known).toEqual(won[0]?.body.interaction);

    const { interaction_id: id } = await ask();
    await one.ctx.db
      .updateTable("interactions")
      .set({ due_at: 0, expires_at: 1 })
      .where("message_id", "=", id)
      .execute();
    const [, , ...late] = await Promise.all([
      endDueInteractions(one.ctx),
      endDueInteractions(two.ctx),
      ...onBoth.map((person) => pressCard(person, id, "a")),
    ]);
    expect(new Set(late.map(({ body }) => body.code))).toEqual(new Set(["interaction_expired"]));
    expect((await decisions(id)).map((item: { interaction: { status: string } }) => item.interaction.status)).toEqual([
      "expired",
    ]);
    const events = await one.ctx.db.selectFrom("channel_events").select("data").where("message_id", "=", id).execute();
    expect(events).toHaveLength(1);
  });
});
