import { describe, expect, test } from "bun:test";
import { stillClock } from "../support/clock.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { type Client, startTestServer } from "../support/servers/test-server.ts";

/** The loop guard and the rate limits of agents (protocol §5, §9) over real HTTP. */
const LIMIT = 6;

const server = await forAllTests(startTestServer({ agentLoopLimit: LIMIT }));
const ann = await server.user("ann");
const agents = [await server.agent("One"), await server.agent("Two"), await server.agent("Three")];

const rooms = 0;
const room = () => newChannel(ann, { is_private: false });

/** Sends messages by the agents with these numbers; returns the codes, `ok` for success. */
async function talk(slug: string, order: readonly number[]): Promise<string[]> {
  const outcomes: string[] = [];
  for (const number of order) {
    const answer = await agents[number]?.post("/api/agenthub/send", { channel_slug: slug, message: "and you?" });
    outcomes.push(answer?.status === 201 ? "ok" : answer?.body.code);
  }
  return outcomes;
}

const ok = (count: number) => Array<string>(count).fill("ok");
const guard = (id: number) => server.guest.get(`/api/channels/${id}/guard`);

describe("loop guard", () => {
  test("stops two agents, says when it resets, and is cleared by a person's message", async () => {
    const { id, slug } = await room();
    expect(await talk(slug, [0, 1, 0, 1, 0, 1])).toEqual(ok(LIMIT));
    const refused = await agents[0]?.post("/api/agenthub/send", { channel_slug: slug, message: "more" });
    expect(refused).toMatchObject({ status: 429, body: { code: "loop_guard_tripped" } });
    // Generic HTTP clients wait for Retry-After, and would then send a message that is out of date.
    expect(refused?.headers.get("retry-after")).toBeNull();
    expect(refused?.body).not.toHaveProperty("retry_after");
    const state = await guard(id);
    expect(refused?.body).toMatchObject({ retryable: false, details: { resets_at: state.body.resets_at } });
    expect(state.body).toMatchObject({ limit: LIMIT, consecutive: LIMIT, tripped: true });
    expect(await talk(slug, [2])).toEqual(["loop_guard_tripped"]);
    await ann.post("/api/messages", { channel_id: id, content: "go on" });
    expect((await guard(id)).body).toMatchObject({ consecutive: 0, tripped: false, resets_at: null });
    expect(await talk(slug, [0, 1])).toEqual(ok(2));
  });

  test("lets no more pass of messages that are sent at once", async () => {
    const { id, slug } = await room();
    // Both have spoken: the messages that one of them sends ahead of the other would count as one.
    expect(await talk(slug, [0, 1])).toEqual(ok(2));
    const talks = await Promise.all(Array.from({ length: 2 * LIMIT }, (_, n) => talk(slug, [n % 2])));
    expect(talks.flat().sort()).toEqual([...Array<string>(LIMIT + 2).fill("loop_guard_tripped"), ...ok(LIMIT - 2)]);
    expect((await guard(id)).body).toMatchObject({ consecutive: LIMIT, tripped: true });
  });

  test("does not stop a single agent; with a second agent, each has half of the limit", async () => {
    const { slug } = await room();
    expect(await talk(slug, Array<number>(12).fill(0))).toEqual(ok(12));
    expect(await talk(slug, [1, 0, 0, 0, 1])).toEqual(["ok", "ok", "ok", "loop_guard_tripped", "ok"]);
  });

  test("is cleared by an admin of the channel, but not by a member or an agent", async () => {
    const { id, slug } = await room();
    await talk(slug, [0, 1, 0, 1, 0, 1]);
    const bob = await server.user(`bob${rooms}`);
    await bob.post(`/api/channels/${id}/join`);
    expect(await bob.delete(`/api/channels/${id}/guard`)).toMatchObject({ status: 403, body: { code: "forbidden" } });
    expect(await server.guest.delete(`/api/channels/${id}/guard`)).toMatchObject({ status: 401 });
    expect((await agents[0]?.delete(`/api/channels/${id}/guard`))?.status).toBe(401);
    expect(await ann.delete(`/api/channels/${id}/guard`)).toMatchObject({
      status: 200,
      body: { consecutive: 0, tripped: false },
    });
    expect(await talk(slug, [0, 1])).toEqual(ok(2));
    expect(await server.guest.get("/api/channels/999999/guard")).toMatchObject({ status: 404 });
    expect(await server.guest.get("/api/channels/x/guard")).toMatchObject({
      status: 400,
      body: { code: "invalid_id" },
    });
  });
});

test("an agent can send five messages a second to a channel and sixty a minute in all", async () => {
  const clock = stillClock();
  await using strict = await startTestServer({ rateFactor: 1, agentLoopLimit: 0 }, { clock });
  const [one, two] = [await strict.agent(), await strict.agent()];
  const send = (agent: Client) => agent.post("/api/agenthub/send", { channel_slug: "general", message: "x" });
  const burst = await Promise.all(Array.from({ length: 8 }, () => send(one)));
  const refused = burst.filter(({ status }) => status === 429);
  expect(refused.length).toBe(3);
  for (const { body, headers } of refused) {
    expect(body.code).toBe("rate_limited");
    expect(headers.get("retry-after")).toBe("1");
  }
  // Other agents are not slowed down.
  expect((await send(two)).status).toBe(201);
  const rest = await Promise.all(
    Array.from({ length: 60 }, () => one.post("/api/agenthub/send", { channel_slug: "nowhere", message: "x" })),
  );
  expect(rest.filter(({ status }) => status === 429).length).toBe(8);
});
