import { expect, test } from "bun:test";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";

const SETTINGS = "/api/notifications/settings";

test("a change on one node reaches the user's sockets on another", async () => {
  await using cluster = await startNodes(2, { bus: "memory" });
  const [first, second] = cluster.nodes;
  if (first === undefined || second === undefined) throw new Error("The cluster has no nodes.");
  const ann = await first.user("ann");
  await using there = await LiveSocket.open(second.url, ann.credential);
  await ann.put(SETTINGS, { default: "all" });
  expect((await there.next("notifications:settings")).data).toMatchObject({ default: "all", channels: {} });
  expect((await second.guest.get(SETTINGS, { headers: ann.credential })).body.default).toBe("all");
});
