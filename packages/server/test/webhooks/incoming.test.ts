import { describe, expect, test } from "bun:test";
import { ERRORS } from "@parley/protocol/errors";
import type { ChatMessage } from "@parley/protocol/models";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { startTestServer } from "../support/servers/test-server.ts";

/** Incoming webhooks over real HTTP (protocol §12.5). */
eachDatabase(async (_, open) => {
  let count = 0;
  const server = await forAllTests(startTestServer({ agentLoopLimit: 4 }, { database: await open() }));
  const ann = await server.user("ann");
  const bob = await server.user("bob");

  const room = async (): Promise<{ id: number; slug: string; list: string }> => {
    const { channel_id: id, channel_slug: slug } = (await ann.post("/api/channels", { name: `Room ${++count}` })).body;
    return { id, slug, list: `/api/channels/${id}/incoming-webhooks` };
  };
  const hookIn = async (list: string, fields: object = {}) => {
    const answer = await ann.post(list, { name: "Grafana", ...fields });
    expect(answer.status).toBe(201);
    return { path: new URL(answer.body.url).pathname, id: answer.body.incoming_webhook.incoming_webhook_id };
  };
  const raw = (path: string, body: string, type: string) =>
    fetch(`${server.url}${path}`, { method: "POST", body, headers: { "content-type": type } });
  const newest = async (id: number): Promise<ChatMessage> =>
    (await ann.get(`/api/messages?channel_id=${id}&limit=1`)).body.messages.at(-1);

  test("post messages in their own form, once for each client_msg_id", async () => {
    const { id, list } = await room();
    const created = await ann.post(list, { name: "  Grafana " });
    const { pathname } = new URL(created.body.url);
    expect(pathname).toMatch(/^\/api\/hooks\/\d+_[\w-]{32}$/);
    const body = { message: "disk is full, @bob", client_msg_id: "alert-1" };
    const answer = await server.guest.post(pathname, body);
    expect(answer.status).toBe(201);
    const again = await server.guest.post(pathname, body);
    expect([again.status, again.body.message_id]).toEqual([200, answer.body.message_id]);
    expect((await server.guest.post(pathname, { ...body, message: "other" })).body.code).toBe("idempotency_conflict");
    const message = await newest(id);
    expect(message).toMatchObject({
      content: "disk is full, @bob",
      sender_type: "webhook",
      webhook_name: "Grafana",
      username: null,
      agent_name: null,
      mentions: [],
    });
    expect(JSON.stringify((await ann.get(list)).body)).not.toContain(pathname.slice(pathname.indexOf("_") + 1));
  });

  test("have webhook_name only in their own messages", async () => {
    const { id } = await room();
    await ann.post("/api/messages", { channel_id: id, content: "hello" });
    expect(Object.keys(await newest(id))).not.toContain("webhook_name");
  });

  test("mention people and agents only if that is allowed", async () => {
    const { list } = await room();
    const agent = await server.agent(`Alert reader ${count}`);
    const { path, id } = await hookIn(list);
    const text = `@bob and @Alert reader ${count}: look`;
    await server.guest.post(path, { message: text });
    expect((await agent.get("/api/agenthub/inbox")).body.count).toBe(0);
    await ann.put(`${list}/${id}`, { allow_mentions: true });
    const answer = await server.guest.post(path, { message: text });
    expect(answer.body.chat_message.mentions).toHaveLength(2);
    const { items } = (await agent.get("/api/agenthub/inbox")).body;
    expect(items).toHaveLength(1);
    expect(items[0].chat_message).toMatchObject({ sender_type: "webhook", authority: "webhook" });
    expect(items[0].rendered).toContain("authority=webhook");
    const mentions = (await agent.get("/api/agenthub/mentions")).body.mentions;
    const via = ` via=${JSON.stringify(items[0].chat_message.webhook_name)}`;
    for (const { rendered } of [items[0], mentions[0]]) expect(rendered).toContain(via);
  });

  test("are to agents a webhook, on every road, and to the loop guard no person", async () => {
    const { id, slug, list } = await room();
    const { path } = await hookIn(list);
    const [agent, other] = [await server.agent(), await server.agent()];
    const say = (who = agent) => who.post("/api/agenthub/send", { channel_slug: slug, message: "hi" });
    for (const who of [agent, other, agent, other]) expect((await say(who)).status).toBe(201);
    await server.guest.post(path, { message: "an alert" });
    expect((await say()).body.code).toBe("loop_guard_tripped");
    await ann.post("/api/messages", { channel_id: id, content: "a person" });
    expect((await say()).status).toBe(201);
    const page = (await agent.get(`/api/agenthub/messages?channel_slug=${slug}`)).body;
    const alert = page.messages.find((message: ChatMessage) => message.sender_type === "webhook");
    expect(alert.authority).toBe("webhook");
  });

  test("answer in a thread, and are deleted and reported like other messages", async () => {
    const { id, list } = await room();
    const { path } = await hookIn(list);
    const root = (await ann.post("/api/messages", { channel_id: id, content: "root" })).body.message_id;
    const reply = await server.guest.post(path, { message: "reply", thread_root_id: root });
    expect(reply.body.chat_message.thread_root_id).toBe(root);
    const { thread } = (await ann.get(`/api/messages?channel_id=${id}&ids=${root}`)).body.messages[0];
    expect(thread).toMatchObject({ reply_count: 1, participants: [] });
    const { message_id } = reply.body;
    await bob.post(`/api/channels/${id}/join`);
    expect((await bob.post(`/api/messages/${message_id}/report`, { reason: "spam" })).status).toBe(201);
    expect((await bob.delete(`/api/messages/${message_id}`)).status).toBe(403);
    expect((await ann.put(`/api/messages/${message_id}`, { content: "mine" })).body.code).toBe("forbidden");
    expect((await ann.delete(`/api/messages/${message_id}`)).status).toBe(200);
    expect((await server.guest.post(path, { message: "x", thread_root_id: 999_999 })).body.code).toBe(
      "message_not_found",
    );
    // A retry gets the answer of the first, though the thread has ended since.
    const again = { message: "again", thread_root_id: root, client_msg_id: "again" };
    expect((await server.guest.post(path, again)).status).toBe(201);
    expect((await ann.delete(`/api/messages/${root}`)).status).toBe(200);
    expect((await server.guest.post(path, again)).body.deduplicated).toBeTrue();
    expect((await server.guest.post(path, { ...again, client_msg_id: "new" })).body.code).toBe("message_deleted");
  });

  describe("refuse", () => {
    test("a wrong secret like a hook that does not exist, and a disabled one only to who knows it", async () => {
      const { list } = await room();
      const { path, id } = await hookIn(list);
      const wrong = `${path.slice(0, -1)}${path.endsWith("A") ? "B" : "A"}`;
      for (const bad of [wrong, "/api/hooks/999999_abc", "/api/hooks/x", `/api/hooks/${id}_`])
        expect((await server.guest.post(bad, { message: "hi" })).body.code).toBe("hook_not_found");
      await ann.put(`${list}/${id}`, { enabled: false });
      expect((await server.guest.post(path, { message: "hi" })).body.code).toBe("hook_disabled");
      expect((await server.guest.post(wrong, { message: "hi" })).body.code).toBe("hook_not_found");
      await ann.put(`${list}/${id}`, { enabled: true });
      const { pathname } = new URL((await ann.post(`${list}/${id}/rotate`)).body.url);
      expect((await server.guest.post(path, { message: "hi" })).status).toBe(404);
      expect((await server.guest.post(pathname, { message: "hi" })).status).toBe(201);
      expect((await ann.delete(`${list}/${id}`)).status).toBe(200);
      expect((await server.guest.post(pathname, { message: "hi" })).status).toBe(404);
    });

    test("bodies without a text, other types, and what is too large", async () => {
      const { path } = await hookIn((await room()).list);
      const codeOf = async (body: string, type: string) =>
        ((await (await raw(path, body, type)).json()) as { code: string }).code;
      expect(await codeOf("{}", "application/json")).toBe("message_required");
      expect(await codeOf('{"message":" "}', "application/json")).toBe("message_required");
      expect(await codeOf("[1]", "application/json")).toBe("message_required");
      expect(await codeOf("{", "application/json")).toBe("invalid_json");
      expect(await codeOf("payload=%7B", "application/x-www-form-urlencoded")).toBe("invalid_json");
      expect(await codeOf("<a/>", "text/xml")).toBe("unsupported_media_type");
      expect(await codeOf('{"message":"hi","thread_root_id":"x"}', "application/json")).toBe("invalid_request");
      expect(await codeOf(JSON.stringify({ message: "x".repeat(70_000) }), "application/json")).toBe("body_too_large");
    });

    test("more than 30 a minute, each hook by itself", async () => {
      await using limited = await startTestServer({ rateLimits: "on", rateFactor: 1 }, { database: await open() });
      const carl = await limited.user("carl");
      const { channel_id } = (await carl.post("/api/channels", { name: "Alerts" })).body;
      const list = `/api/channels/${channel_id}/incoming-webhooks`;
      const path = async () => new URL((await carl.post(list, { name: "x" })).body.url).pathname;
      const [one, other] = [await path(), await path()];
      const statuses = new Set<number>();
      for (let nth = 0; nth < 35; nth++) statuses.add((await limited.guest.post(one, { message: `${nth}` })).status);
      expect([...statuses]).toEqual([201, 429]);
      expect((await limited.guest.post(other, { message: "hi" })).status).toBe(201);
    });

    test("names that could be taken for a user, an agent or a reserved name, when they are made and when they change", async () => {
      const { list } = await room();
      const agent = await server.agent("Data Bot");
      expect(agent.agentId).toBeGreaterThan(0);
      const { id: hook } = await hookIn(list, { name: "Alerts" });
      const held = ["ann", "bob", "Data Bot", "data_bot"];
      // Case, width, scripts, signs around and within, and spaces that nobody sees.
      const looks = [
        "ANN",
        "ａｎｎ",
        "аnn",
        "АNN",
        "[ann]",
        "@ann",
        "ann ✓",
        "🤖 ann",
        "ann.",
        "a\u200ann",
        "_ann_",
        "“ann”",
      ];
      const reserved = ["system", "System", "ѕystem", "[system]", "adm1n", "rnoderator", "everyone", "PlatformAgent"];
      for (const name of [...held, ...looks, "𝐃ata 𝐁ot", "Dаta Bot", ...reserved]) {
        for (const answer of [
          await ann.post(list, { name }),
          await ann.send("PUT", `${list}/${hook}`, { body: { name } }),
        ])
          expect([name, answer.status, answer.body.code]).toEqual([name, 400, "invalid_webhook_name"]);
      }
      expect((await ann.post(list, { name: "ann!" })).body.details).toMatchObject([
        { path: "name", rule: "looks_like", name: "ann" },
      ]);
      expect((await ann.get(list)).body.incoming_webhooks).toMatchObject([{ name: "Alerts" }]);
    });

    test("no name that only contains another one, and reserve none for themselves", async () => {
      const { list } = await room();
      for (const name of ["ann's alerts", "System status", "Annex", "告警", "CI/CD"])
        expect((await ann.post(list, { name })).status).toBe(201);
      await hookIn(list, { name: "zoe" });
      await hookIn(list, { name: "zoe" });
      await server.user("zoe");
      expect((await ann.post(list, { name: "zoe" })).body.code).toBe("invalid_webhook_name");
    });

    test("the `username` of a body, in the own form and in Slack's", async () => {
      const { id, list } = await room();
      const { path } = await hookIn(list);
      const slack = { text: "hello", username: "ann", icon_url: "https://example.com/ann.png" };
      expect((await server.guest.post(path, { message: "hello", username: "ann" })).status).toBe(201);
      expect((await newest(id)).webhook_name).toBe("Grafana");
      for (const [body, type] of [
        [JSON.stringify(slack), "application/json"],
        [
          new URLSearchParams({ payload: JSON.stringify(slack), username: "ann" }).toString(),
          "application/x-www-form-urlencoded",
        ],
      ] as const) {
        expect((await raw(path, body, type)).status).toBe(200);
        expect(await newest(id)).toMatchObject({ webhook_name: "Grafana", username: null, agent_name: null });
      }
    });

    test("an eleventh hook, odd names, and callers who do not manage the channel", async () => {
      const { id, list } = await room();
      for (const name of ["", "  ", "a\u202eb", "a\nb", "x".repeat(51)])
        expect((await ann.post(list, { name })).body.code).toBe("invalid_webhook_name");
      const { id: hook } = await hookIn(list);
      await bob.post(`/api/channels/${id}/join`);
      for (const answer of [
        await bob.get(list),
        await bob.post(list, { name: "x" }),
        await bob.delete(`${list}/${hook}`),
      ])
        expect(answer.body.code).toBe("forbidden");
      const elsewhere = await room();
      expect((await ann.delete(`${elsewhere.list}/${hook}`)).body.code).toBe("webhook_not_found");
      // Directly, because creations have a rate.
      const row = await server.ctx.db
        .selectFrom("incoming_webhooks")
        .selectAll()
        .where("id", "=", hook)
        .executeTakeFirstOrThrow();
      const { id: _, ...rest } = row;
      await server.ctx.db
        .insertInto("incoming_webhooks")
        .values(Array.from({ length: 9 }, () => rest))
        .execute();
      expect((await ann.post(list, { name: "eleventh" })).body.code).toBe("webhook_limit_reached");
    });
  });

  test("read Slack's form, as JSON and as a form, and answer ok", async () => {
    const { id, list } = await room();
    const { path } = await hookIn(list);
    const text = "*<https://example.org/a|build 7>* &lt;failed&gt; <!here>";
    const json = await raw(path, JSON.stringify({ text, channel: "#x", username: "y" }), "application/json");
    expect([json.status, json.headers.get("content-type"), await json.text()]).toEqual([
      200,
      "text/plain; charset=utf-8",
      "ok",
    ]);
    expect((await newest(id)).content).toBe("*[build 7](https://example.org/a)* <failed> @here");
    const form = new URLSearchParams({ payload: JSON.stringify({ text: "x".repeat(4_500) }) });
    await raw(path, form.toString(), "application/x-www-form-urlencoded");
    const cut = (await newest(id)).content;
    expect([[...cut].length, cut.endsWith("…")]).toEqual([4_000, true]);
  });

  test("end with the channel", async () => {
    const { id, list } = await room();
    const { path } = await hookIn(list);
    await ann.delete(`/api/channels/${id}`);
    expect((await server.guest.post(path, { message: "hi" })).body.code).toBe("hook_not_found");
    expect(ERRORS.hook_not_found[0]).toBe(404);
  });
});
