import { beforeEach, expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { askCard } from "../support/cards.ts";
import { eachDatabase } from "../support/databases.ts";
import { openDoors } from "../support/doors.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { type Answered, eventually, startTestServer } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";

const CODE = "direct_not_allowed";

/** An agent whose `dm_policy` no longer names the user writes no more than the user may (protocol §3). */
eachDatabase(async (_, open) => {
  const server = await forAllTests(startTestServer({ rateLimits: "off" }, { database: await open() }));
  const root = await staff(server, "olga", 2);
  const ann = await server.user("ann");
  const agent = Object.assign(await server.agent("Helper"), { name: "Helper" });
  const doors = await forAllTests(openDoors(server, agent));
  const setPolicy = async (dm_policy: string) =>
    expect((await root.put(`/api/agents/${agent.agentId}`, { dm_policy })).status).toBe(200);
  const hub = (path: string, body: object) => agent.post(`/api/agenthub/${path}`, body);
  const begin = () => hub("streams", { channel_slug: slug, client_msg_id: randomUUID() });
  const made = ({ status, body }: Answered, field: string): number => {
    expect([status, body.code]).toEqual([201, undefined]);
    return body[field];
  };

  await setPolicy("everyone");
  const opened = await ann.post("/api/direct", { agent_name: "Helper" });
  const slug: string = opened.body.channel_slug;
  const said = made(await ann.post("/api/messages", { channel_slug: slug, content: "hello" }), "message_id");
  beforeEach(() => setPolicy("everyone"));

  test("it sends and reacts at no door, and still reads", async () => {
    await setPolicy("nobody");
    for (const door of [doors.REST, doors.socket, doors.MCP]) {
      expect(await door.send?.({ slug, message: "goodbye" })).toMatchObject({ code: CODE, retryable: false });
      expect(await door.react?.({ message_id: said, reaction: "like" })).toMatchObject({ code: CODE });
      if (door.read !== undefined) expect(await door.read({ slug })).toMatchObject({ code: null });
    }
    await setPolicy("everyone");
    for (const door of [doors.REST, doors.socket, doors.MCP]) {
      expect(await door.send?.({ slug, message: "back" })).toMatchObject({ code: null });
      expect(await door.react?.({ message_id: said, reaction: "like" })).toMatchObject({ code: null });
    }
  });

  test("it edits, asks, begins and shows nothing", async () => {
    const own = made(await hub("send", { channel_slug: slug, message: "mine" }), "message_id");
    await setPolicy("nobody");
    const answers = [
      await agent.put(`/api/messages/${own}`, { content: "not mine" }),
      await askCard(agent, { channel_slug: slug }),
      await hub("send-many", { channel_slug: slug, messages: [{ message: "one" }, { message: "two" }] }),
      await hub("typing", { channel_slug: slug, typing: true }),
      await begin(),
    ];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(answers.map(() => [403, CODE]));
    const { body } = await agent.get(`/api/agenthub/messages?channel_slug=${slug}`);
    expect(body.messages.at(-1)).toMatchObject({ id: own, content: "mine" });
  });

  test.each(["append", "finish", "nothing"])("a stream that is under way ends with its next act: %s", async (act) => {
    const id = made(await begin(), "stream_id");
    expect((await hub(`streams/${id}/append`, { offset: 0, delta: "wait" })).status).toBe(200);
    await setPolicy("nobody");
    if (act !== "nothing") {
      const { status, body } = await hub(`streams/${id}/${act}`, act === "append" ? { offset: 4, delta: "…" } : {});
      // The server may have ended it before: it looks once a second.
      expect([status, body.code]).toEqual(body.code === "stream_over" ? [409, "stream_over"] : [403, CODE]);
    }
    await eventually("the end of the stream", async () => {
      const { body } = await agent.get(`/api/agenthub/streams/${id}`);
      return body.stream?.state === "cancelled";
    });
  });

  test("an agent that its owner gave up does not write to them any more", async () => {
    const owner = await server.user("oscar");
    const { db } = server.ctx;
    const { id } = await db.selectFrom("users").select("id").where("username", "=", "oscar").executeTakeFirstOrThrow();
    const own = { owner_user_id: id, owner_verified: 1 };
    await db.updateTable("agents").set(own).where("id", "=", agent.agentId).execute();
    await setPolicy("owner");
    const { body } = await owner.post("/api/direct", { agent_name: "Helper" });
    const write = () => hub("send", { channel_slug: body.channel_slug, message: "yours" });
    expect((await write()).status).toBe(201);
    expect((await owner.delete(`/api/agents/${agent.agentId}/owner`)).status).toBe(200);
    expect((await write()).body.code).toBe(CODE);
  });
});
