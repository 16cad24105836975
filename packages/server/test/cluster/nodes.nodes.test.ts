import { expect, test } from "bun:test";
import { Lab, type LabNode } from "../support/cluster/lab.ts";
import { onPostgres } from "../support/databases.ts";
import { Client, eventually } from "../support/servers/test-server.ts";

/** The others consider a paused node dead after 15 s. */
const DEAD_MS = 15_000;
/** The time that a busy machine may add to a promised time. */
const SLACK_MS = 10_000;

async function metric({ url }: LabNode, name: string): Promise<number> {
  const { body } = await new Client(url).get("/metrics");
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(String(body))?.[1]);
}

const rowsOf = (lab: Lab): Promise<Record<string, unknown>[]> =>
  onPostgres("select id, name, state from nodes order by name", lab.databaseUrl);

/** Returns the readiness, once the node answers with that status. */
async function readiness(node: LabNode, status: number) {
  const guest = new Client(node.url);
  return eventually(`${node.name} answers ${status}`, async () => {
    const answer = await guest.get("/readyz");
    return answer.status === status ? answer.body : null;
  });
}

test("the others consider a paused node dead and do its work; when it wakes, it is not ready until it has joined again", async () => {
  await using lab = await Lab.open(2);
  const [first, second] = [lab.node(0), lab.node(1)];
  await eventually("both know each other", async () => (await metric(first, "parley_cluster_nodes")) === 2);
  await eventually("the first has the leases", async () => (await metric(first, "parley_cluster_leases")) > 5);
  expect(await metric(second, "parley_cluster_leases")).toBe(0);
  const [before] = await rowsOf(lab);

  first.pause();
  const began = performance.now();
  const isAlone = async () => (await metric(second, "parley_cluster_nodes")) === 1;
  await eventually("the paused node is gone", isAlone, DEAD_MS + SLACK_MS);
  const hasWork = async () => (await metric(second, "parley_cluster_leases")) > 5;
  await eventually("the other node has its leases", hasWork, SLACK_MS);
  expect(performance.now() - began).toBeGreaterThan(DEAD_MS - 3_000);

  const woken = new Client(first.url).get("/readyz");
  first.resume();
  expect((await woken).body).toMatchObject({ code: "not_ready", details: { reason: "no_heartbeat" } });
  await readiness(first, 200);
  const after = (await rowsOf(lab)).find(({ name, id }) => name === "node-1" && id !== before?.id);
  expect(after).toMatchObject({ state: "ready" });
  await eventually("they know each other again", async () => (await metric(second, "parley_cluster_nodes")) === 2);
  expect(await metric(first, "parley_cluster_leases")).toBe(0);
});

test("a node that cannot reach PostgreSQL is not ready, and becomes ready again without a restart", async () => {
  await using lab = await Lab.open(1);
  const node = lab.node(0);
  expect(await readiness(node, 200)).toMatchObject({ success: true });
  node.database.cut();
  expect(await readiness(node, 503)).toMatchObject({ code: "not_ready" });
  node.database.mend();
  await readiness(node, 200);
  expect(await metric(node, "parley_cluster_heartbeat_age_seconds")).toBeLessThan(5);
});
