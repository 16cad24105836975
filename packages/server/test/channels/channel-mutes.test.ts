import { describe, expect, test } from "bun:test";
import { datedClock } from "../support/clock.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { startTestServer } from "../support/servers/test-server.ts";

/** Mutes of people who are not, or no longer, in the channel (protocol §3) over real HTTP. */
const clock = datedClock();

const server = await forAllTests(startTestServer({}, { clock }));
const ann = await server.user("ann");
const bob = await server.user("bob");

/** Creates a channel for one test, owned by ann. */
const channel = async (settings = {}): Promise<number> => (await newChannel(ann, settings)).id;

test.each([{ muted_until: "2999-01-01T00:00:00.000Z" }, { muted_until: null }])(
  "a mute with %j does not add the user or agent to the channel",
  async (mute) => {
    const robot = `Robot ${mute.muted_until === null ? 1 : 2}`;
    await server.agent(robot);
    for (const settings of [{}, { is_private: true }]) {
      const id = await channel(settings);
      const put = (name: string, body: object) => ann.put(`/api/channels/${id}/members/${name}`, body);
      const count = async () => (await ann.get(`/api/channels/${id}`)).body.channel.member_count;
      expectError(await put("bob", mute), 404, "member_not_found");
      if (settings.is_private || mute.muted_until === null)
        expectError(await put(robot, mute), 404, "member_not_found");
      expect(await count()).toBe(1);
      // An explicit add does.
      expect((await put("bob", { role: "member", ...mute })).body.member).toMatchObject(mute);
      expect(await count()).toBe(2);
    }
  },
);

test("a user's mute outlasts leaving and being removed, until it is lifted", async () => {
  const id = await channel();
  const speak = () => bob.post("/api/messages", { channel_id: id, content: "here I am" });
  const away = {
    leave: () => bob.post(`/api/channels/${id}/leave`),
    kick: () => ann.delete(`/api/channels/${id}/members/bob`),
  };
  await bob.post(`/api/channels/${id}/join`);
  const said = (await speak()).body.message_id;
  await ann.put(`/api/channels/${id}/members/bob`, { muted_until: "2999-01-01T00:00:00.000Z" });
  for (const go of [away.leave, away.kick, away.leave]) {
    expect((await go()).status).toBe(200);
    expectError(await speak(), 403, "muted");
    expectError(await bob.put(`/api/messages/${said}`, { content: "still here" }), 403, "muted");
    // A refused user has not joined.
    expect((await bob.get(`/api/channels/${id}`)).body.channel).toMatchObject({ my_role: null, member_count: 1 });
    expect((await bob.post(`/api/channels/${id}/join`)).status).toBe(200);
    expectError(await speak(), 403, "muted");
  }
  await ann.put(`/api/channels/${id}/members/bob`, { muted_until: null });
  expect((await away.leave()).status).toBe(200);
  expect((await speak()).status).toBe(201);
});

describe("an agent's mute", () => {
  const agentIn = async (settings: Record<string, unknown> = {}) => {
    const { id, slug } = await newChannel(ann, settings);
    const name = `Robot of ${slug}`;
    const agent = await server.agent(name);
    return {
      agent,
      place: `/api/channels/${id}/members/${encodeURIComponent(name)}`,
      login: (password?: string) =>
        agent.post("/api/agenthub/login", { channel_slug: slug, agent_name: name, ...(password && { password }) }),
      speak: () => agent.post("/api/agenthub/send", { channel_slug: slug, agent_name: name, message: "beep" }),
      typing: () => agent.post("/api/agenthub/typing", { channel_slug: slug, agent_name: name, typing: true }),
    };
  };
  const muted_until = "2999-01-01T00:00:00.000Z";

  test("outlasts a kick from a public channel, where the agent needs no membership, until it is lifted", async () => {
    const { agent, place, login, speak, typing } = await agentIn();
    const said = (await speak()).body.message_id;
    await login();
    for (const _time of [1, 2]) {
      expect((await ann.put(place, { muted_until })).status).toBe(200);
      expectError(await speak(), 403, "muted");
      expect((await ann.delete(place)).status).toBe(200);
      for (const come of [speak, typing]) expectError(await come(), 403, "muted");
      expect((await login()).status).toBe(200);
      expectError(await speak(), 403, "muted");
      expectError(await agent.put(`/api/messages/${said}`, { content: "boop" }), 403, "muted");
      expectError(await agent.put(`/api/messages/${said}/reactions/like`), 403, "muted");
    }
    expect((await ann.put(place, { muted_until: null })).body.member).toMatchObject({ muted_until: null });
    expect((await speak()).status).toBe(201);
    expect((await ann.delete(place)).status).toBe(200);
    expect((await speak()).status).toBe(201);
  });

  test("ends at its time, and is shown with it", async () => {
    const { place, speak } = await agentIn();
    await speak();
    const soon = new Date(clock.now() + 60_000).toISOString();
    await ann.put(place, { muted_until: soon });
    await ann.delete(place);
    expect((await speak()).body).toMatchObject({ code: "muted", details: { muted_until: soon } });
    clock.ahead += 60_000;
    expect((await speak()).status).toBe(201);
    expectError(await ann.put(place, { muted_until: null }), 404, "member_not_found");
  });

  test("outlasts a kick from a private channel, a ban, joining by password and being added", async () => {
    const { agent, place, login, speak } = await agentIn({ is_private: true, password: "open sesame" });
    expect((await login("open sesame")).status).toBe(200);
    await ann.put(place, { muted_until });
    await ann.delete(place);
    expect((await login("open sesame")).status).toBe(200);
    expectError(await speak(), 403, "muted");
    const bans = place.replace(/members.*/, "bans");
    expect((await ann.post(bans, { agent_id: agent.agentId })).status).toBe(201);
    expect((await ann.delete(place.replace("members", "bans"))).status).toBe(200);
    expect((await ann.put(place, {})).body.member).toMatchObject({ muted_until });
    expectError(await speak(), 403, "muted");
  });
});
