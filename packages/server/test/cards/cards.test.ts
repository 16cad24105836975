import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { DELETED_USER } from "@parley/protocol/privacy";
import { endDueInteractions } from "../../src/messages/cards/expire.ts";
import { eraseAll } from "../../src/privacy/erasing.ts";
import { APPROVAL, askCard, asked, buttons, pressCard } from "../support/cards.ts";
import { datedClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { PASSWORD, startTestServer } from "../support/servers/test-server.ts";

/** Cards, their questions and their answers, on every database (protocol §12.6). */
eachDatabase(async (_, open) => {
  const clock = datedClock();
  const server = await forAllTests(startTestServer({ rateLimits: "off" }, { database: await open(), clock }));
  const people = { ann: await server.user("ann"), bob: await server.user("bob"), eve: await server.user("eve") };
  for (const person of Object.values(people))
    await person.post("/api/messages", { channel_slug: "general", content: "hi" });
  const agent = await server.agent("Shipper");

  const inbox = async (id: number) =>
    (await agent.get("/api/agenthub/inbox?kinds=press,decision&limit=200")).body.items.filter(
      (item: { interaction: { interaction_id: number } }) => item.interaction.interaction_id === id,
    );
  const kinds = async (id: number) => (await inbox(id)).map(({ kind }: { kind: string }) => kind);
  const stateOf = async (id: number) => (await agent.get(`/api/interactions/${id}`)).body;
  const shown = async (id: number) =>
    (await people.ann.get(`/api/messages?channel_slug=general&ids=${id}`)).body.messages[0];

  test("an approval is decided by a quorum of different people, once, with an item for each step", async () => {
    using socket = await TestSocket.open(server.url, people.bob.credential);
    await socket.command("channel:join", { channel_slug: "general" });
    const question = await asked(agent, { interaction: { who: { users: ["ANN", "bob"] }, quorum: 2 } });
    const id = question.interaction_id;
    expect(question).toMatchObject({
      message_id: id,
      who: { users: ["ann", "bob"] },
      quorum: 2,
      status: "open",
      votes: [],
    });
    const message = await shown(id);
    expect(message).toMatchObject({ components: APPROVAL, interaction: question });
    const hash = createHash("sha256")
      .update(JSON.stringify([message.content, message.components]))
      .digest("hex");
    expect(question.payload_hash).toBe(hash);

    const first = await pressCard(people.ann, id, "approve");
    expect([first.status, first.body.interaction.status, first.body.interaction.result]).toEqual([200, "open", null]);
    expect((await pressCard(people.ann, id, "approve")).body).toEqual(first.body);
    const { data } = await socket.command("interaction:press", { interaction_id: id, action_id: "approve" });
    expect(data.interaction).toMatchObject({
      status: "decided",
      vote_count: 2,
      result: { action_id: "approve", username: "bob" },
    });
    expect((await shown(id)).interaction).toEqual(data.interaction);
    const heard = socket.frames.filter(({ event, data }) => event === "interaction:update" && data.message_id === id);
    expect(heard.map(({ data }) => data.interaction.status)).toEqual(["open", "decided"]);

    expect(await kinds(id)).toEqual(["press", "decision"]);
    const [pressed, decision] = await inbox(id);
    expect(pressed.interaction.result).toMatchObject({ action_id: "approve", username: "ann" });
    expect(decision).toMatchObject({ agent_name: "PlatformAgent", chat_message: null, interaction: data.interaction });
    expect(decision.rendered).toContain('result approve by "bob"');
    const state = await stateOf(id);
    expect(state.receipt).toEqual(decision.receipt);
    expect(JSON.parse(state.receipt.signed)).toMatchObject({ payload_hash: hash, votes: data.interaction.votes });
    const late = await pressCard(people.bob, id, "deny");
    expect([late.status, late.body.code, late.body.details.interaction]).toEqual([
      409,
      "interaction_closed",
      data.interaction,
    ]);
    const lines = await server.ctx.db
      .selectFrom("audit_log")
      .select("action")
      .where("subject", "=", `message:${id}`)
      .execute();
    expect(lines.map(({ action }) => action)).toEqual(["card_press", "card_decide"]);
  });

  test("one denial decides, also by someone who approved before", async () => {
    const { interaction_id: id } = await asked(agent, { interaction: { who: { users: ["ann", "bob"] }, quorum: 2 } });
    await pressCard(people.ann, id, "approve");
    const { body } = await pressCard(people.ann, id, "deny");
    expect(body.interaction).toMatchObject({ status: "decided", vote_count: 1, result: { action_id: "deny" } });
  });

  test("50 presses at once have one result, one decision and one receipt", async () => {
    const crowd = await Promise.all(Array.from({ length: 10 }, (_, n) => server.user(`crowd-${n}`)));
    const { interaction_id: id } = await asked(agent, {
      components: buttons("a", "b", "c", "d", "e"),
      interaction: { kind: "choice", who: { roles: ["member"] } },
    });
    const answers = await Promise.all(
      crowd.flatMap((person) => ["a", "b", "c", "d", "e"].map((action) => pressCard(person, id, action))),
    );
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(new Set(answers.map(({ body }) => body.code))).toEqual(new Set([undefined, "interaction_closed"]));
    expect(await kinds(id)).toEqual(["decision"]);
    expect((await stateOf(id)).interaction).toEqual(won[0]?.body.interaction);
  });

  test("an open card has a result for each press until it expires", async () => {
    const { interaction_id: id } = await asked(agent, {
      components: [
        {
          type: "row",
          elements: [
            {
              type: "select",
              action_id: "size",
              options: [
                { label: "Small", value: "s" },
                { label: "Large", value: "l" },
              ],
            },
            { type: "link", label: "Sizes", url: "https://example.org/sizes" },
          ],
        },
      ],
      interaction: { kind: "open", who: { roles: ["member"] }, expires_in: 60 },
    });
    expect((await pressCard(people.ann, id, "size")).body.code).toBe("unknown_action");
    expect((await pressCard(people.ann, id, "size", "xl")).body.code).toBe("unknown_action");
    const one = await pressCard(people.ann, id, "size", "s");
    expect(one.body.interaction).toMatchObject({ status: "open", result: { value: "s", username: "ann" } });
    expect((await pressCard(people.ann, id, "size", "s")).body).toEqual(one.body);
    await pressCard(people.ann, id, "size", "l");
    await pressCard(people.bob, id, "size", "l");
    const items = await inbox(id);
    expect(items.map(({ interaction }: { interaction: { result: object } }) => interaction.result)).toMatchObject([
      { value: "s", username: "ann" },
      { value: "l", username: "ann" },
      { value: "l", username: "bob" },
    ]);
    clock.ahead += 61_000;
    expect((await pressCard(people.bob, id, "size", "s")).body.code).toBe("interaction_expired");
    await Promise.all([endDueInteractions(server.ctx), endDueInteractions(server.ctx)]);
    expect((await pressCard(people.bob, id, "size", "s")).body.code).toBe("interaction_expired");
    expect((await stateOf(id)).interaction).toMatchObject({ status: "expired", vote_count: 3, result: null });
    expect((await kinds(id)).filter((kind: string) => kind === "decision")).toHaveLength(1);
  });

  test("an open card shows its newest 20 answers, the oldest of them first, and counts all", async () => {
    const ids = Array.from({ length: 22 }, (_, n) => `take-${n}`);
    const rows = [0, 5, 10, 15, 20].flatMap((from) => buttons(...ids.slice(from, from + 5)));
    const { interaction_id: id } = await asked(agent, {
      components: rows,
      interaction: { kind: "open", who: { roles: ["member"] } },
    });
    for (const action of ids) expect((await pressCard(people.ann, id, action)).status).toBe(200);
    const { votes, vote_count } = (await stateOf(id)).interaction;
    expect([votes.map(({ action_id }: { action_id: string }) => action_id), vote_count]).toEqual([ids.slice(2), 22]);
  });

  test("rights count at the moment of the press", async () => {
    const { interaction_id: id } = await asked(agent, { interaction: { who: { roles: ["admin"] } } });
    expect((await pressCard(people.bob, id, "approve")).body.code).toBe("not_allowed_to_answer");
    const { ctx } = server;
    const general = await ctx.db
      .selectFrom("channels")
      .select("id")
      .where("slug", "=", "general")
      .executeTakeFirstOrThrow();
    const bobs = ctx.db.selectFrom("users").select("id").where("username", "=", "bob");
    const give = (change: { role?: "admin" | "member"; muted_until?: number | null }) =>
      ctx.db
        .updateTable("channel_members")
        .set(change)
        .where("channel_id", "=", general.id)
        .where("user_id", "=", bobs)
        .execute();
    await give({ role: "admin" });
    await give({ muted_until: clock.now() + 60_000 });
    expect((await pressCard(people.bob, id, "approve")).body.code).toBe("muted");
    await give({ muted_until: null, role: "member" });
    expect((await pressCard(people.bob, id, "approve")).body.code).toBe("not_allowed_to_answer");
    await give({ role: "admin" });
    expect((await pressCard(people.bob, id, "approve")).body.interaction.status).toBe("decided");
    await give({ role: "member" });
    expect((await agent.post(`/api/interactions/${id}/press`, { action_id: "approve" })).body.code).toBe(
      "session_required",
    );
    expect((await server.guest.post(`/api/interactions/${id}/press`, { action_id: "approve" })).status).toBe(401);
    expect((await pressCard(people.ann, 99_999, "approve")).body.code).toBe("interaction_not_found");
  });

  test("the owner of an agent answers only if the question names them, and the ownership is verified", async () => {
    const interaction = { who: { owner: true } };
    expect((await askCard(agent, { interaction })).body.code).toBe("nobody_may_answer");
    const { ctx } = server;
    const eve = await ctx.db.selectFrom("users").select("id").where("username", "=", "eve").executeTakeFirstOrThrow();
    const own = (owner_verified: 0 | 1) =>
      ctx.db
        .updateTable("agents")
        .set({ owner_user_id: eve.id, owner_verified })
        .where("id", "=", agent.agentId)
        .execute();
    await own(1);
    const { interaction_id: id } = await asked(agent, { interaction });
    await own(0);
    expect((await pressCard(people.eve, id, "approve")).body.code).toBe("not_allowed_to_answer");
    await own(1);
    const { interaction_id: ofOthers } = await asked(agent, { interaction: { who: { roles: ["admin"] } } });
    expect((await pressCard(people.eve, ofOthers, "deny")).body.code).toBe("not_allowed_to_answer");
    expect((await pressCard(people.eve, id, "deny")).body.interaction.result).toMatchObject({ username: "eve" });
  });

  test("a message that asks cannot be edited, and deleting it cancels the question", async () => {
    const form = new FormData();
    form.set("file", new File(["2.4"], "release.txt"));
    const uploading = await fetch(`${server.url}/api/files`, { method: "POST", headers: agent.credential, body: form });
    const { file_id } = ((await uploading.json()) as { file: { file_id: number } }).file;
    const { interaction_id: id } = await asked(agent, { file_ids: [file_id] });
    const edit = await agent.put(`/api/messages/${id}`, { content: "Deploy everything?" });
    expect([edit.status, edit.body.code]).toEqual([409, "message_has_interaction"]);
    expect((await agent.put(`/api/files/${file_id}`, { alt_text: "3.0" })).body.code).toBe("message_has_interaction");
    expect((await agent.delete(`/api/messages/${id}`)).status).toBe(200);
    expect(await shown(id)).not.toHaveProperty("interaction");
    const state = await stateOf(id);
    expect(state.interaction.status).toBe("cancelled");
    expect(JSON.parse(state.receipt.signed)).toMatchObject({ status: "cancelled", result: null });
    expect(await kinds(id)).toEqual(["decision"]);
    expect((await pressCard(people.ann, id, "approve")).body.code).toBe("interaction_closed");
  });

  test("the agent cancels its question, and nobody else does", async () => {
    const { interaction_id: id } = await asked(agent);
    const other = await server.agent("Other");
    expect((await other.post(`/api/interactions/${id}/cancel`)).body.code).toBe("interaction_not_found");
    const cancelled = await agent.post(`/api/interactions/${id}/cancel`);
    expect([cancelled.status, cancelled.body.interaction.status]).toEqual([200, "cancelled"]);
    expect((await agent.post(`/api/interactions/${id}/cancel`)).body).toEqual(cancelled.body);
    const { interaction_id: decided } = await asked(agent);
    await pressCard(people.ann, decided, "deny");
    expect((await agent.post(`/api/interactions/${decided}/cancel`)).body.code).toBe("interaction_closed");
  });

  test("the agent can wait for the end of its question", async () => {
    const { interaction_id: id } = await asked(agent);
    const waiting = agent.get(`/api/interactions/${id}?wait=30`);
    await pressCard(people.ann, id, "approve");
    expect((await waiting).body.interaction.status).toBe("decided");
  });

  test("the same send again is the same card, and another card with its key is refused", async () => {
    const body = { client_msg_id: `deploy-${clock.ahead}` };
    const one = await askCard(agent, body);
    await pressCard(people.ann, one.body.message_id, "approve");
    const again = await askCard(agent, body);
    expect([again.status, again.body.message_id, again.body.chat_message.interaction.status]).toEqual([
      200,
      one.body.message_id,
      "decided",
    ]);
    const other = await askCard(agent, { ...body, interaction: { who: { users: ["bob"] } } });
    expect(other.body.code).toBe("idempotency_conflict");
  });

  test("an erased voter's name goes everywhere, with the server's copy of the receipt", async () => {
    const gone = await server.user("gone-soon");
    const { interaction_id: id } = await asked(agent, { interaction: { who: { users: ["gone-soon"] } } });
    await pressCard(gone, id, "approve");
    const deleted = await gone.delete("/api/user/gone-soon", { body: { password: PASSWORD } });
    expect(deleted.status).toBe(200);
    await eraseAll(server.ctx);
    const { interaction, receipt } = await stateOf(id);
    expect(receipt).toBeNull();
    expect(interaction).toMatchObject({ status: "decided", result: { action_id: "approve", username: DELETED_USER } });
    expect(interaction.who.users).toEqual([DELETED_USER]);
    expect((await shown(id)).interaction).toEqual(interaction);
    const traces = JSON.stringify([
      await inbox(id),
      await server.ctx.db.selectFrom("channel_events").selectAll().execute(),
    ]);
    expect(traces).not.toContain("gone-soon");
    const { db } = server.ctx;
    const presses = db.selectFrom("interaction_presses").select("user_id").where("message_id", "=", id);
    expect(await presses.execute()).toEqual([{ user_id: null }]);
    const named = db.selectFrom("interaction_users").select("user_id").where("message_id", "=", id);
    expect(await named.execute()).toEqual([]);
  });
});
