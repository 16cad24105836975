import { expect, test } from "bun:test";
import { Lab } from "../support/cluster/lab.ts";
import { onPostgres } from "../support/databases.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { Client, eventually, signUp } from "../support/servers/test-server.ts";

/** Protocol §10: SIGTERM ends a server within 10 s. */
const EXIT_MS = 10_000;

test("a draining node is first not ready and still serves, then sends its sockets away and leaves its work to the others", async () => {
  await using lab = await Lab.open(2);
  const [first, second] = [lab.node(0), lab.node(1)];
  const ann = await signUp(first.url, "ann");
  const socket = await TestSocket.open(first.url, ann.credential);
  await socket.command("channel:join", { channel_slug: "general" });
  const holders = () =>
    onPostgres("select distinct n.name from leases l join nodes n on n.id = l.holder where until > 0", lab.databaseUrl);
  await eventually("the first node has the leases", async () => (await holders())[0]?.name === "node-1");

  const began = performance.now();
  const ended = first.stop();
  const guest = new Client(first.url);
  const refused = await eventually("the node is not ready", async () => {
    const answer = await guest.get("/readyz");
    return answer.status === 503 ? answer : null;
  });
  expect(refused.body.code).toBe("draining");
  // The balancer needs a moment to notice; meanwhile everything works.
  const sent = await ann.post("/api/messages", { channel_slug: "general", content: "still here" });
  expect(sent.status).toBe(201);
  await socket.next(({ event }) => event === "message:new");
  // The node is not ready at once, and its row says so a little later.
  await eventually("the table of nodes says it", async () => {
    const states = await onPostgres("select name, state from nodes order by name", lab.databaseUrl);
    return Bun.deepEquals(states, [
      { name: "node-1", state: "draining" },
      { name: "node-2", state: "ready" },
    ]);
  });

  const goodbye = await socket.next(({ event }) => event === "server:draining");
  expect(goodbye.data).toEqual({ retry_within_ms: 1_000 });
  expect(await socket.closed).toMatchObject({ code: 1012 });
  expect(await ended).toBe(0);
  const took = performance.now() - began;
  expect(took).toBeGreaterThan(1_900);
  expect(took).toBeLessThan(EXIT_MS);
  expect(await onPostgres("select name from nodes", lab.databaseUrl)).toEqual([{ name: "node-2" }]);
  await eventually("the second node has the leases", async () => (await holders())[0]?.name === "node-2");
  const elsewhere = new Client(second.url, ann.credential);
  const after = await elsewhere.post("/api/messages", { channel_slug: "general", content: "elsewhere" });
  expect(after.status).toBe(201);
});
