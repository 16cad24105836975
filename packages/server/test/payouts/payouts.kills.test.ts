import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
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
import { SteppingProxy } from "../support/faults/stepping-proxy.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { eventually } from "../support/servers/test-server.ts";

/**
 * Kills a whole server with a real chain (SIGKILL) at each step of a payout, at the calls that show the step from
 * outside; then starts it again. Each claim is one transfer on the chain, never two (guarantees P13).
 */

const POINTS: readonly [step: string, method: string, after: boolean][] = [
  ["the intent is stored", "eth_getTransactionCount", false],
  ["the nonce is known", "eth_getTransactionCount", true],
  ["the nonce is stored", "eth_estimateGas", false],
  ["it can be signed", "eth_estimateGas", true],
  ["it is signed and stored", "eth_sendRawTransaction", false],
  ["it is sent, and the answer is lost", "eth_sendRawTransaction", true],
  ["that it was sent is stored", "eth_getTransactionReceipt", false],
  ["its receipt is read", "eth_getTransactionReceipt", true],
];

const claimers: Claimer[] = [];
const dataDir = temporaryFolder();

const anvil = await forAllTests(Anvil.start());
const proxy = await forAllTests(new SteppingProxy(anvil.url));
const server = await forAllTests(payingServer(proxy.url, dataDir));
await server.start();
const packetId = await fundedPacket(anvil, server.url, POINTS.length + 4);
for (let n = 0; n < POINTS.length + 3; n++) claimers.push(await newClaimer(server.url, `claimer${n}`));

const claimer = (n: number): Claimer => {
  const found = claimers[n];
  if (found === undefined) throw new Error(`There are ${claimers.length} claimers.`);
  return found;
};
const nonceOfTreasury = () => anvil.client.getTransactionCount({ address: TREASURY });

/** Starts the server again when the dead one's lease is over. */
async function startAgain(): Promise<void> {
  const database = new Database(join(dataDir, "parley.sqlite"));
  database.run("update payout_lease set until = 0");
  database.close();
  await server.start();
}

test.each(POINTS.map((point, n) => [...point, n] as const))(
  "a server killed when %s pays once",
  async (_step, method, after, n) => {
    const who = claimer(n);
    const before = await nonceOfTreasury();
    const killed = proxy.at(method, after, () => server.signal("SIGKILL"));
    const claim = await who.client.post(`/api/red-packets/${packetId}/claim`, {});
    expect(claim.body).toMatchObject({ success: true });
    await killed;
    await server.end("SIGKILL");
    await startAgain();
    const payout = await settled(anvil, who, packetId);
    const { status, to } = await anvil.client.getTransactionReceipt({ hash: payout.tx_hash });
    expect([status, to?.toLowerCase()]).toEqual(["success", who.address.toLowerCase()]);
    expect(await sharesAt(anvil, who.address)).toBe(1n);
    expect((await nonceOfTreasury()) - before).toBe(1);
  },
);

test("a server killed after the payout is final but before that is stored pays once", async () => {
  const who = claimer(POINTS.length);
  const before = await nonceOfTreasury();
  await who.client.post(`/api/red-packets/${packetId}/claim`, {});
  await eventually("it is sent", async () => (await nonceOfTreasury()) > before);
  const killed = proxy.at("eth_getTransactionReceipt", true, () => server.signal("SIGKILL"));
  await anvil.mine(5);
  await killed;
  await server.end("SIGKILL");
  await startAgain();
  await settled(anvil, who, packetId);
  expect([await sharesAt(anvil, who.address), (await nonceOfTreasury()) - before]).toEqual([1n, 1]);
});

test("a running server stopped from outside pays nothing, and continues when resumed", async () => {
  const who = claimer(POINTS.length + 1);
  const before = await nonceOfTreasury();
  await server.command("payouts", "stop");
  await who.client.post(`/api/red-packets/${packetId}/claim`, {});
  // More than two passes of the worker.
  const started = performance.now();
  while (performance.now() - started < 2_500) await anvil.mine();
  expect(await nonceOfTreasury()).toBe(before);
  const listed = JSON.parse(await server.command("payouts", "list", "--open", "--json"));
  expect(listed).toMatchObject({ halted: "stopped", payouts: [{ state: "queued", recipient: who.address }] });
  await server.command("payouts", "resume");
  await settled(anvil, who, packetId);
  expect(await sharesAt(anvil, who.address)).toBe(1n);
});

test("a server that is stopped does not wait for a silent chain", async () => {
  const who = claimer(POINTS.length + 2);
  const silent = proxy.at("eth_sendRawTransaction", true, () => {});
  await who.client.post(`/api/red-packets/${packetId}/claim`, {});
  await silent;
  const asked = performance.now();
  expect(await server.end("SIGTERM")).toBe(0);
  expect(performance.now() - asked).toBeLessThan(10_000);
  await startAgain();
  await settled(anvil, who, packetId);
  expect(await sharesAt(anvil, who.address)).toBe(1n);
});

test("the ledger, payouts and wallet agree in the end", async () => {
  const report = JSON.parse(await server.command("payouts", "reconcile", "--json"));
  expect(report).toMatchObject({ consistent: true, currencies: [{ underWay: "0", problems: [] }] });
  const doctor = JSON.parse(await server.command("doctor", "--json"));
  const findings = doctor.findings.filter(({ check }: { check: string }) => check === "payouts" || check === "ledger");
  expect(findings.map(({ state }: { state: string }) => state)).toEqual(["ok", "ok"]);
  expect(await nonceOfTreasury()).toBe(POINTS.length + 3);
});
