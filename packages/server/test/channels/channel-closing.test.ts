import { describe, expect, test } from "bun:test";
import { EventReader } from "../support/servers/event-reader.ts";
import type { Frame } from "../support/servers/live-socket.ts";
import { newChannel, realtimeBench } from "../support/servers/realtime.ts";
import type { Client } from "../support/servers/test-server.ts";

/** A channel that is closed to outsiders: they learn that it is closed, but not its new settings or anything later. */
const { server, open } = await realtimeBench();

/** Returns an agent without membership that is online in the channel, with an open stream. */
async function agentIn(owner: Client, { id, slug }: { id: number; slug: string }) {
  const name = `Outsider ${id}`;
  const agent = await server.agent(name);
  await agent.post("/api/agenthub/login", { channel_slug: slug, agent_name: name });
  const stream = await EventReader.open(server.url, agent.credential);
  await owner.post("/api/messages", { channel_id: id, content: "to all" });
  await stream.next(({ event }) => event === "message:new");
  /** Once this resolves, all earlier events have arrived: the stream of the agent's other channel has continued. */
  const settle = async () => {
    await agent.post("/api/agenthub/login", { channel_slug: "general", agent_name: name });
    await agent.post("/api/agenthub/send", { channel_slug: "general", agent_name: name, message: `of ${id}` });
    await stream.next(({ data }) => data.chat_message?.content === `of ${id}`);
  };
  return { agent, name, stream, settle };
}

/** Returns the frames of the channel that arrived after its end, or that contain its settings. */
function leaked(heard: readonly Pick<Frame, "event" | "data">[], id: number): string[] {
  const ofIt = heard.filter(({ event, data }) => event !== "ack" && data.channel_id === id);
  const end = ofIt.findIndex(({ event }) => event === "access:ended");
  return ofIt.filter(({ event }, at) => event === "channel:update" || at > end).map(({ event }) => event);
}

describe("a channel that becomes private", () => {
  test("does not tell outsiders its other changes or anything that follows", async () => {
    const [ada, bob, eve] = [await server.newUser(), await server.newUser(), await server.newUser()];
    const channel = await newChannel(ada);
    const { id } = channel;
    await bob.post(`/api/channels/${id}/join`);
    await using guest = await open();
    await using outsider = await open(eve);
    await using member = await open(bob);
    for (const socket of [guest, outsider, member]) await socket.ask("channel:join", { channel_id: id });
    const { stream, settle } = await agentIn(ada, channel);
    await using _stream = stream;
    const [closed] = await Promise.all([
      ada.put(`/api/channels/${id}`, { is_private: true, topic: "for us alone" }),
      ada.post("/api/messages", { channel_id: id, content: "at once" }),
    ]);
    expect(closed.status).toBe(200);
    const ended = { channel_id: id, reason: "private" };
    for (const socket of [guest, outsider]) expect((await socket.next("access:ended")).data).toEqual(ended);
    expect((await stream.next(({ event }) => event === "access:ended")).data).toEqual(ended);
    await ada.post("/api/messages", { channel_id: id, content: "among us" });
    await member.find(({ data }) => data.chat_message?.content === "among us");
    expect(member.all("channel:update")[0]?.data.channel.topic).toBe("for us alone");
    expect(member.all("access:ended")).toEqual([]);
    for (const socket of [guest, outsider]) {
      await socket.settle();
      expect(leaked(socket.frames, id)).toEqual([]);
    }
    await settle();
    expect(leaked(stream.events, id)).toEqual([]);
  });

  test("still reaches its new owner and an agent that was added", async () => {
    const [ada, bob] = [await server.newUser(), await server.newUser()];
    const channel = await newChannel(ada);
    const { id } = channel;
    const { name, stream } = await agentIn(ada, channel);
    await using _stream = stream;
    await ada.put(`/api/channels/${id}/members/${encodeURIComponent(name)}`, {});
    await using heir = await open(bob);
    await heir.ask("channel:join", { channel_id: id });
    await ada.put(`/api/channels/${id}`, { is_private: true, topic: "ours", owner_username: bob.username });
    await ada.post("/api/messages", { channel_id: id, content: "among us" });
    for (const heard of [heir.find.bind(heir), stream.next.bind(stream)]) {
      await heard(({ data }) => data.chat_message?.content === "among us");
    }
    for (const heard of [heir.frames, stream.events]) {
      expect(heard.filter(({ event }) => event === "channel:update")).toHaveLength(1);
      expect(heard.filter(({ event }) => event === "access:ended")).toEqual([]);
    }
  });
});

test("agents that are no longer allowed in a channel receive access:ended, and nothing about the change", async () => {
  const ada = await server.newUser();
  const channel = await newChannel(ada);
  const { stream, settle } = await agentIn(ada, channel);
  await using _stream = stream;
  await ada.put(`/api/channels/${channel.id}`, { agent_policy: "deny", topic: "people alone" });
  const { data } = await stream.next(({ event }) => event === "access:ended");
  expect(data).toEqual({ channel_id: channel.id, reason: "kicked" });
  await settle();
  expect(leaked(stream.events, channel.id)).toEqual([]);
});

test("everybody in a deleted channel receives channel:deleted and access:ended, then nothing more", async () => {
  const ada = await server.newUser();
  const channel = await newChannel(ada);
  const { stream, settle } = await agentIn(ada, channel);
  await using _stream = stream;
  await using guest = await open();
  await guest.ask("channel:join", { channel_id: channel.id });
  await ada.delete(`/api/channels/${channel.id}`);
  await guest.next("access:ended");
  await settle();
  for (const heard of [guest.frames, stream.events]) {
    const last = heard.filter(({ event, data }) => event !== "ack" && data.channel_id === channel.id).slice(-2);
    expect(last.map(({ event }) => event)).toEqual(["channel:deleted", "access:ended"]);
    expect(last[1]?.data.reason).toBe("deleted");
  }
});

test("an agent that is kicked while a message is sent learns of the kick but not of the message", async () => {
  const ada = await server.newUser();
  const channel = await newChannel(ada);
  const { name, stream, settle } = await agentIn(ada, channel);
  await using _stream = stream;
  await ada.delete(`/api/channels/${channel.id}/members/${encodeURIComponent(name)}`);
  await ada.post("/api/messages", { channel_id: channel.id, content: "it is gone" });
  await settle();
  expect(leaked(stream.events, channel.id)).toEqual([]);
});
