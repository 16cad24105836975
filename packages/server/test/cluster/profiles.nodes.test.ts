import { describe, expect, test } from "bun:test";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";

describe("display names and statuses on two nodes", () => {
  test("a change on one node reaches sockets and readers of the other, and the status ends on both", async () => {
    await using cluster = await startNodes(2, { bus: "memory", config: { rateLimits: "off" } });
    const [one, two] = cluster.nodes;
    if (one === undefined || two === undefined) throw new Error("no nodes");
    const [ann, bob] = [await one.user("ann"), await two.user("bob")];
    const { channel_id } = (await ann.post("/api/channels", { name: "Hall" })).body;
    await bob.post(`/api/channels/${channel_id}/join`);
    await using there = await LiveSocket.open(two.url, bob.credential);
    await there.ask("channel:join", { channel_id });
    const status = { emoji: "🌴", text: "On holiday", expires_at: new Date(Date.now() + 3_600_000).toISOString() };
    await ann.put("/api/user/ann", { display_name: "安娜", status });
    const profile = { username: "ann", display_name: "安娜", status };
    expect((await there.next("user:profile")).data).toEqual(profile);
    const read = async () => (await bob.get("/api/profiles?usernames=ann")).body.profiles;
    expect(await read()).toEqual([profile]);
    // Nothing runs at the end: each node compares the time when it reads.
    await one.ctx.db
      .updateTable("shown_profiles")
      .set({ status_until: Date.now() - 1 })
      .execute();
    const rest = [{ username: "ann", display_name: "安娜", status: null }];
    expect(await read()).toEqual(rest);
    expect((await ann.get("/api/profiles?usernames=ann")).body.profiles).toEqual(rest);
    expect((await bob.get(`/api/users?prefix=${encodeURIComponent("安")}`)).body.users).toMatchObject([
      { username: "ann", display_name: "安娜" },
    ]);
  });
});
