import { describe, expect, test } from "bun:test";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";

describe("reading on two nodes", () => {
  test("tells the user's sockets on both of what is marked as unread, and once of everything that is read", async () => {
    await using cluster = await startNodes(2, { bus: "memory", config: { rateLimits: "off" } });
    const [one, two] = cluster.nodes;
    if (one === undefined || two === undefined) throw new Error("no nodes");
    const [ann, bob] = [await one.user("ann"), await two.user("bob")];
    const { channel_id } = (await ann.post("/api/channels", { name: "Hall" })).body;
    await bob.post(`/api/channels/${channel_id}/join`);
    for (let n = 0; n < 3; n += 1) await ann.post("/api/messages", { channel_id, content: `number ${n}` });
    await bob.post(`/api/channels/${channel_id}/read`);
    await using here = await LiveSocket.open(one.url, bob.credential);
    await using there = await LiveSocket.open(two.url, bob.credential);
    const sockets = [here, there];
    await bob.post(`/api/channels/${channel_id}/unread`, { seq: 2 });
    const state = { channel_id, last_read_seq: 3, unread_from_seq: 2, unread_count: 2, last_seq: 3 };
    for (const socket of sockets) expect((await socket.next("channel:read")).data).toEqual(state);
    // Both nodes do it at once: one of them finds something to do.
    const path = "/api/read";
    const answers = await Promise.all([
      bob.post(path),
      fetch(`${one.url}${path}`, { method: "POST", headers: bob.credential }).then(async (answer) => ({
        status: answer.status,
        body: await answer.json(),
      })),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers.filter(({ body }) => body.channels > 0).length).toBe(1);
    for (const socket of sockets) expect((await socket.next("read:all")).data).toEqual({ unread: 0 });
    for (const socket of sockets) await socket.settle();
    expect(sockets.map((socket) => socket.all("read:all").length)).toEqual([1, 1]);
    const { channel } = (await bob.get(`/api/channels/${channel_id}`)).body;
    expect(channel).toMatchObject({ last_read_seq: 3, unread_from_seq: null, unread_count: 0 });
  });
});
