import { expect, test } from "bun:test";
import { asked, pressCard } from "../support/cards.ts";
import { temporaryFolder } from "../support/config.ts";
import { killAround } from "../support/faults/kill-around.ts";
import { ChildServer, freePort } from "../support/servers/child-server.ts";
import { Client, signUp } from "../support/servers/test-server.ts";

/** Kill -9 around the press that decides: one result, one decision, one receipt, one event, or none of them yet. */
const KILLS = Number(process.env.PARLEY_TEST_CARD_KILLS ?? 4);

test(`${KILLS} kills around a decision leave exactly one result`, async () => {
  await using server = new ChildServer(temporaryFolder(), freePort());
  const key = (await server.command("key", "issue", "--agent", "Shipper")).match(/ply_\w+/)?.[0];
  await server.start();
  const [ann, bob] = [await signUp(server.url, "ann"), await signUp(server.url, "bob")];
  const agent = new Client(server.url, { authorization: `Bearer ${key}` });
  for (let kill = 0; kill < KILLS; kill += 1) {
    const { interaction_id: id } = await asked(agent, { interaction: { who: { users: ["ann", "bob"] }, quorum: 2 } });
    await pressCard(ann, id, "approve");
    const answer = await killAround(server, kill * 1.5, () => pressCard(bob, id, "approve"));

    const facts = async () => {
      const { interaction, receipt } = (await agent.get(`/api/interactions/${id}`)).body;
      const items = (await agent.get("/api/agenthub/inbox?kinds=decision&limit=200")).body.items;
      const decisions = items.filter((item: { interaction: object }) => Bun.deepEquals(item.interaction, interaction));
      const { chat_message } = {
        chat_message: (await ann.get(`/api/messages?channel_slug=general&ids=${id}`)).body.messages[0],
      };
      const lines = [interaction.status, decisions.length, receipt === null, chat_message.interaction.status];
      return lines;
    };
    const none = ["open", 0, true, "open"];
    const whole = ["decided", 1, false, "decided"];
    const found = await facts();
    if (answer?.status === 200) expect(found).toEqual(whole);
    else expect([none, whole]).toContainEqual(found);
    // A client without an answer presses again.
    expect((await pressCard(bob, id, "approve")).body.interaction.status).toBe("decided");
    expect(await facts()).toEqual(whole);
  }
});
