import { expect, test } from "bun:test";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { expectError } from "../support/expect-error.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { Client, eventually } from "../support/servers/test-server.ts";

/** Duties that only nodes with red packets, payments or payouts have. */
const DUTIES = ["sweep packets", "recheck payments", "check the treasury", "compare payouts"];

test("nodes without value have none of its duties, and one with it in the same cluster harms nobody", async () => {
  await using cluster = await startNodes(2, { bus: "redis", config: { value: "off" } });
  const [first, second] = cluster.nodes;
  if (first === undefined || second === undefined) throw new Error("There are no nodes.");
  const duties = async () => {
    const rows = await first.ctx.db.selectFrom("leases").select("name").execute();
    return rows.map(({ name }) => name);
  };
  await eventually("the duties are taken", async () => (await duties()).includes("sweep stickers"));
  expect((await duties()).filter((name) => DUTIES.includes(name))).toEqual([]);

  // All nodes should have the same setting. If one has not, the others keep the numbers of what they do not know.
  const other = await cluster.add({ value: "on" });
  await eventually("the other node has its duty", async () => (await duties()).includes("sweep packets"));
  const ann = await other.user("ann");
  await other.ctx.db.updateTable("users").set({ created_at: 0 }).where("username", "=", "ann").execute();
  const made = await ann.post("/api/red-packets", { channel_slug: "general", total_amount: "4", count: 2 });
  expect(made.status).toBe(201);
  expect((await ann.post(`/api/red-packets/${made.body.packet_id}/claim`)).status).toBe(200);
  const there = new Client(second.url, ann.credential);
  expectError(await there.get(`/api/red-packets/${made.body.packet_id}`), 404, "not_found");
  await using socket = await LiveSocket.open(second.url, ann.credential);
  const { epoch } = (await socket.next("session:ready")).data;
  const { data } = await socket.ask("channel:join", { channel_slug: "general", after_seq: 0, epoch });
  const told = (data.events as { event: string; data: { seq: number } }[]).map(({ event, data }) => [data.seq, event]);
  expect(told).toEqual([
    [1, "message:new"],
    [2, "event:unreadable"],
  ]);
  expect((await there.post("/api/messages", { channel_slug: "general", content: "after it" })).body.seq).toBe(3);
  await eventually("the message after the packet arrives", () => socket.seqs.includes(3));
  await expect(cluster.add({ value: "off" })).rejects.toThrow("PARLEY_VALUE is off, but 1 red packet is open");
});
