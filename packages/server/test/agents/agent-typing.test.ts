import { expect, test } from "bun:test";
import { stillClock } from "../support/clock.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { type Client, startTestServer } from "../support/servers/test-server.ts";

const tell = (who: Client, body: unknown) => who.post("/api/agenthub/typing", body);

const server = await forAllTests(startTestServer());
const ann = await server.user("ann");
const scout = await server.agent("Scout");

test("the channel sees under the agent's name that it is thinking and that it has stopped", async () => {
  using socket = await TestSocket.open(server.url);
  const { data: joined } = await socket.command("channel:join", { channel_slug: "general" });
  for (const typing of [true, false]) {
    const { status, body } = await tell(scout, { channel_slug: "general", agent_name: "scout", typing });
    expect(status).toBe(200);
    expect(body).toMatchObject({ channel_id: joined.channel.id, agent_name: "Scout", typing });
    const { data } = await socket.next((frame) => frame.event === "typing" && frame.data.typing === typing);
    expect(data).toEqual({ channel_id: joined.channel.id, kind: "agent", name: "Scout", typing });
  }
  await tell(scout, { channel_slug: "general", agent_name: "Scout", thread_root_id: 7, typing: true });
  await socket.next((frame) => frame.event === "typing" && frame.data.thread_root_id === 7);
  const { body } = await tell(scout, { channel_slug: "general", typing: true });
  expect(body.agent_name).toBe("PlatformAgent");
});

test("an agent that may not send cannot show that it is thinking", async () => {
  const make = async (body: object, settings: object) => {
    const made = await ann.post("/api/channels", body);
    await ann.put(`/api/channels/${made.body.channel_id}`, settings);
    return made.body.channel_slug as string;
  };
  const deny = await make({ name: "No agents" }, { agent_policy: "deny" });
  expectError(await tell(scout, { channel_slug: deny, typing: true }), 403, "agents_not_allowed");
  const admins = await make({ name: "Admins" }, { post_policy: "admins" });
  expectError(await tell(scout, { channel_slug: admins, typing: true }), 403, "post_policy");
  const locked = await make({ name: "Locked", is_private: true, password: "open sesame" }, { topic: "x" });
  expectError(await tell(scout, { channel_slug: locked, typing: true }), 403, "password_required");
  const muted = await make({ name: "Muted" }, { topic: "x" });
  const { body } = await ann.get("/api/channels");
  const idOf = (slug: string) => body.channels.find((each: { channel_slug: string }) => each.channel_slug === slug).id;
  await ann.put(`/api/channels/${idOf(muted)}/members/Scout`, { muted_until: "2100-01-01T00:00:00.000Z" });
  expectError(await tell(scout, { channel_slug: muted, typing: true }), 403, "muted");
  await ann.post(`/api/channels/${idOf(muted)}/bans`, { agent_name: "Scout" });
  expectError(await tell(scout, { channel_slug: muted, typing: true }), 403, "banned");
});

test("each malformed typing body is refused with its own code", async () => {
  const other = await server.agent("Other");
  const cases: [Client, unknown, number, string][] = [
    [scout, { typing: true }, 400, "channel_slug_required"],
    [scout, { channel_slug: "general" }, 400, "invalid_request"],
    [scout, { channel_slug: "general", typing: "yes" }, 400, "invalid_request"],
    [scout, { channel_slug: "general", agent_name: " ", typing: true }, 400, "invalid_agent_name"],
    [scout, { channel_slug: "nowhere", typing: true }, 404, "channel_not_found"],
    [other, { channel_slug: "general", agent_name: "Scout", typing: true }, 409, "agent_name_taken"],
    [ann, { channel_slug: "general", typing: true }, 401, "missing_api_key"],
  ];
  for (const [who, body, status, code] of cases) expectError(await tell(who, body), status, code);
});

test("an agent can show that it is thinking 60 times a minute", async () => {
  await using strict = await startTestServer({ rateFactor: 1 }, { clock: stillClock() });
  const agent = await strict.agent("Busy");
  for (let n = 0; n < 60; n++) {
    expect((await tell(agent, { channel_slug: "general", typing: true })).status).toBe(200);
  }
  expectError(await tell(agent, { channel_slug: "general", typing: true }), 429, "rate_limited");
});
