import { expect, test } from "bun:test";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { type Client, startTestServer } from "../support/servers/test-server.ts";

/** Refusals of polls, over real HTTP (protocol §13.7). */
eachDatabase(async (_, open) => {
  const server = await forAllTests(startTestServer({ rateLimits: "off" }, { database: await open() }));
  const ann = await server.user("ann");
  const { id: room } = await newChannel(ann);
  const make = (body: object, who: Client = ann) =>
    who.post("/api/polls", { channel_id: room, question: "?", options: ["a", "b"], ...body });
  const vote = (who: Client, id: number | string, option_ids: unknown) =>
    who.put(`/api/polls/${id}/vote`, { option_ids });
  const stored = async () => {
    const { count } = await server.ctx.db
      .selectFrom("messages")
      .select((eb) => eb.fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    return Number(count);
  };

  test("questions and options of a wrong form make no poll", async () => {
    const before = await stored();
    const long = "\u{1f469}\u200d".repeat(200);
    const bad: object[] = [
      { question: "" },
      { question: "  \u200b " },
      { question: "x".repeat(301) },
      { question: 7 },
      { question: "two\nlines" },
      { options: [] },
      { options: ["one"] },
      { options: Array.from({ length: 11 }, (_, n) => `option ${n}`) },
      { options: ["a", "a"] },
      { options: ["a b", "a\u00a0b"] },
      { options: ["a", "a\u200b"] },
      { options: ["a", ""] },
      { options: ["a", "\u3164"] },
      { options: ["a", "x".repeat(101)] },
      { options: ["a", long] },
      { options: ["a", { text: "b" }] },
      { options: "ab" },
      { options: ["a", "\u202eb"] },
    ];
    for (const body of bad) {
      const answer = await make(body);
      expect([body, answer.status, answer.body.code]).toEqual([body, 400, "invalid_poll"]);
    }
    for (const body of [
      { closes_in: 59 },
      { closes_in: 2_592_001 },
      { closes_in: "60" },
      { multiple: "yes" },
      { anonymous: 1 },
      { also_in_channel: true },
    ])
      expectError(await make(body), 400, "invalid_request");
    expectError(await make({ thread_root_id: 999_999 }), 404, "message_not_found");
    expectError(await make({ channel_id: 999_999 }), 404, "channel_not_found");
    expectError(await make({ channel_id: undefined }), 400, "channel_id_required");
    expect(await stored()).toBe(before);
    const most = { question: "é".repeat(300), options: Array.from({ length: 10 }, (_, n) => `${n}`.padEnd(100, "x")) };
    expect((await make(most)).status).toBe(201);
    expect((await make({ closes_in: 60 })).status).toBe(201);
    expect((await make({ closes_in: 2_592_000 })).status).toBe(201);
  });

  test("votes of a wrong form change nothing", async () => {
    const { poll_id: id } = (await make({ multiple: true })).body.poll;
    const many = (await make({ options: ["a", "b", "c", "d"] })).body.poll.poll_id;
    expect((await vote(ann, many, [4])).status).toBe(200);
    expect((await vote(ann, id, [2])).status).toBe(200);
    for (const wrong of [[1, 1], "1", [1.5], [0], ["1"], null, Array.from({ length: 11 }, (_, n) => n + 1), [-1]])
      expectError(await vote(ann, id, wrong), 400, "invalid_request");
    for (const unknown of [[3], [4], [1, 3], [Number.MAX_SAFE_INTEGER]])
      expectError(await vote(ann, id, unknown), 400, "unknown_option");
    expectError(await vote(ann, 999_999, [1]), 404, "poll_not_found");
    expectError(await vote(ann, "x", [1]), 400, "invalid_id");
    const text = (await ann.post("/api/messages", { channel_id: room, content: "no poll" })).body.message_id;
    expectError(await vote(ann, text, [1]), 404, "poll_not_found");
    expectError(await ann.post(`/api/polls/${text}/close`), 404, "poll_not_found");
    expectError(await vote(server.guest, id, [1]), 401, "session_required");
    const { messages } = (await ann.get(`/api/messages?channel_id=${room}&ids=${id}`)).body;
    expect(messages[0].poll).toMatchObject({ total_voters: 1, my_votes: [2] });
  });

  test("muted, banned and outside people do not vote, and where only admins post everybody votes", async () => {
    const ben = await server.newUser();
    const { id: own } = await newChannel(ann);
    const { poll_id: id } = (await make({ channel_id: own })).body.poll;
    expect((await vote(ben, id, [1])).status).toBe(200);
    await ann.put(`/api/channels/${own}`, { post_policy: "admins" });
    expectError(await make({ channel_id: own }, ben), 403, "post_policy");
    expect((await vote(ben, id, [2])).status).toBe(200);
    const until = new Date(Date.now() + 3_600_000).toISOString();
    await ann.put(`/api/channels/${own}/members/${ben.username}`, { muted_until: until });
    expectError(await vote(ben, id, [1]), 403, "muted");
    await ann.post(`/api/channels/${own}/bans`, { username: ben.username });
    expectError(await vote(ben, id, [1]), 403, "banned");
    const { id: locked } = await newChannel(ann, { is_private: true, password: "long-enough-1" });
    const { id: hidden } = await newChannel(ann, { is_private: true });
    const polls = [];
    for (const channel_id of [locked, hidden]) polls.push((await make({ channel_id })).body.poll.poll_id);
    expectError(await vote(ben, polls[0], [1]), 403, "password_required");
    expectError(await vote(ben, polls[1], [1]), 404, "poll_not_found");
    expectError(await ben.post(`/api/polls/${polls[1]}/close`), 404, "poll_not_found");
  });

  test("slow mode holds for polls, too", async () => {
    const ben = await server.newUser();
    const { id: slow } = await newChannel(ann, { slow_mode_seconds: 60 });
    expect((await make({ channel_id: slow }, ben)).status).toBe(201);
    expectError(await make({ channel_id: slow }, ben), 429, "slow_mode");
  });
});
