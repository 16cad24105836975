import { expect, test } from "bun:test";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { startTestServer } from "../support/servers/test-server.ts";

/** Protocol §3 over real HTTP: the routes by which users join and leave channels, called by agents. */

const server = await forAllTests(startTestServer());
const ann = await server.user("ann");

const room = async (extra: Record<string, unknown> = {}) => (await newChannel(ann, { is_private: false, ...extra })).id;

async function onlineAgents(channelId: number): Promise<string[]> {
  const { body } = await ann.get(`/api/channels/${channelId}/online`);
  return body.users.flatMap(({ kind, name }: { kind: string; name: string }) => (kind === "agent" ? [name] : []));
}

test("joining logs an agent with one name in, and leaving logs it out", async () => {
  const scout = await server.agent("Scout");
  const id = await room();
  const joined = await scout.post(`/api/channels/${id}/join`);
  expect([joined.status, joined.body.channel.id, joined.body.my_role]).toEqual([200, id, null]);
  expect(await onlineAgents(id)).toEqual(["Scout"]);
  const left = await scout.post(`/api/channels/${id}/leave`);
  expect([left.status, left.body.channel_id]).toEqual([200, id]);
  expect(await onlineAgents(id)).toEqual([]);
  expect((await scout.post(`/api/channels/${id}/leave`)).status).toBe(200);
});

test("joining with the password adds an agent to a private channel and logs it in", async () => {
  const finch = await server.agent("Finch");
  const id = await room({ is_private: true, password: "open sesame" });
  const refused = await finch.post(`/api/channels/${id}/join`, { password: "close sesame" });
  expect([refused.status, refused.body.code]).toEqual([403, "wrong_password"]);
  expect((await finch.post(`/api/channels/${id}/leave`)).body.code).toBe("password_required");
  const joined = await finch.post(`/api/channels/${id}/join`, { password: "open sesame" });
  expect([joined.status, joined.body.my_role]).toEqual([200, "member"]);
  expect(await onlineAgents(id)).toEqual(["Finch"]);
});

test("an agent with two names joins without a login, and leaves under all of them", async () => {
  const wren = await server.agent("Wren");
  const id = await room();
  const { channel_slug } = (await ann.get(`/api/channels/${id}`)).body.channel;
  for (const agent_name of ["Wren", "Robin"])
    expect((await wren.post("/api/agenthub/login", { channel_slug, agent_name })).status).toBe(200);
  expect((await onlineAgents(id)).sort()).toEqual(["Robin", "Wren"]);
  expect((await wren.post(`/api/channels/${id}/leave`)).status).toBe(200);
  expect((await wren.post(`/api/channels/${id}/join`)).status).toBe(200);
  expect(await onlineAgents(id)).toEqual([]);
});
