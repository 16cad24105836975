import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Anvil } from "../support/chains/anvil.ts";
import {
  type Claimer,
  fundedPacket,
  newClaimer,
  payingServer,
  settled,
  sharesAt,
  TREASURY,
} from "../support/chains/paying-server.ts";
import { temporaryFolder } from "../support/config.ts";
import { onPostgres, openPlace } from "../support/databases.ts";
import { SteppingProxy } from "../support/faults/stepping-proxy.ts";
import { type ChildServer, SHARED } from "../support/servers/child-server.ts";
import { Client, eventually } from "../support/servers/test-server.ts";

/**
 * Two servers on one PostgreSQL and one chain: the one that makes the payouts is paused (SIGSTOP), the other takes
 * over, and the first wakes up (guarantees P13). The call at which it is paused identifies the step.
 */
describe("two servers of which one is paused", () => {
  let place: Awaited<ReturnType<typeof openPlace>>;
  let anvil: Anvil;
  let proxy: SteppingProxy;
  let first: ChildServer;
  let second: ChildServer;
  let packetId: number;
  const claimers: Claimer[] = [];

  beforeAll(async () => {
    place = await openPlace();
    anvil = await Anvil.start();
    proxy = new SteppingProxy(anvil.url);
    const env = { DATABASE_URL: place.url };
    first = payingServer(proxy.url, temporaryFolder(), env, SHARED);
    second = payingServer(anvil.url, temporaryFolder(), { ...env, PARLEY_PAYOUTS: "on" }, SHARED);
    await first.start();
    packetId = await fundedPacket(anvil, first.url, 4);
    for (let n = 0; n < 3; n++) claimers.push(await newClaimer(first.url, `claimer${n}`));
    await second.start();
  });
  afterAll(async () => {
    await first?.[Symbol.asyncDispose]();
    await second?.[Symbol.asyncDispose]();
    await proxy?.[Symbol.asyncDispose]();
    await anvil?.[Symbol.asyncDispose]();
    await place?.[Symbol.asyncDispose]();
  });

  async function lease(): Promise<{ holder: string | null; fence: number }> {
    const [row] = await onPostgres("select holder, fence::int as fence from payout_lease", place.url);
    return row as { holder: string | null; fence: number };
  }

  test.each<[string, string]>([
    ["before it signs", "eth_estimateGas"],
    ["before it sends", "eth_sendRawTransaction"],
  ])("keep paying through the other, and the one paused %s changes nothing", async (step, method) => {
    const who = claimers[step === "before it signs" ? 0 : 1];
    if (who === undefined) throw new Error("There are three claimers.");
    const before = await anvil.client.getTransactionCount({ address: TREASURY });
    // The call stays open while its server sleeps, and is answered when it wakes.
    const paused = proxy.at(method, false, () => first.signal("SIGSTOP"), { answers: true });
    await claimAtFirst(who);
    await paused;
    const { fence } = await lease();
    await onPostgres("update payout_lease set until = 0", place.url);
    await eventually("another server holds the lease", async () => (await lease()).fence > fence, 30_000);
    const onSecond = { client: new Client(second.url, who.client.credential), address: who.address };
    await settled(anvil, onSecond, packetId);
    first.signal("SIGCONT");
    await eventually("the first server is back", () => fetch(`${first.url}/livez`).then(({ ok }) => ok), 30_000);
    const third = performance.now();
    while (performance.now() - third < 3_000) await anvil.mine();
    expect(await sharesAt(anvil, who.address)).toBe(1n);
    expect((await anvil.client.getTransactionCount({ address: TREASURY })) - before).toBe(1);
  });

  /** Only the first server looks for work while the other sleeps, so it takes the lease. */
  async function claimAtFirst({ client }: Claimer): Promise<void> {
    // A server that still holds the lease would be the one to work.
    await eventually("nobody has the lease", async () => (await lease()).holder === null, 30_000);
    second.signal("SIGSTOP");
    const { body } = await client.post(`/api/red-packets/${packetId}/claim`, {});
    expect(body.success).toBeTrue();
    await eventually("the lease is taken", async () => (await lease()).holder !== null, 30_000);
    second.signal("SIGCONT");
  }
});
