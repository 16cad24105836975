/**
 * Runs a red packet with real transfers on a local chain: npm run demo:red-packet
 * One user funds it, three users claim, the platform pays them, and the split is verified. Removes all of it at the end.
 */
import { equal, ok } from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { constants } from "node:os";
import type { RedPacketClaim } from "@parley/protocol/red-packets";
import { ParleyClient } from "@parley/sdk";
import { type Address, formatEther, type Hex, isHash, type LocalAccount, parseEther, toHex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { richAccount, startChain } from "./local-chain.ts";
import { startParley } from "./local-parley.ts";
import { Sandbox } from "./sandbox.ts";

const TOTAL = parseEther("0.3");
const LIMIT_MS = 60_000;

type Chain = Awaited<ReturnType<typeof startChain>>;

interface User {
  name: string;
  client: ParleyClient;
  wallet: LocalAccount;
}

let steps = 0;
const step = (title: string): void => console.log(`\n${String(++steps).padStart(2)}. ${title}`);
const print = (text: string): void => console.log(text.replace(/^/gm, "    "));
const eth = (wei: bigint): string => `${formatEther(wei)} ETH`;

async function redPacket(sandbox: Sandbox): Promise<void> {
  step("A local chain and a local server start");
  const chain = await startChain(sandbox);
  print(`anvil at ${chain.url}, chain ${chain.id}, two blocks a second`);
  const treasury = richAccount(0);
  const treasuryKey = toHex(treasury.getHdKey().privateKey ?? new Uint8Array());
  const parley = await startParley(sandbox, { rpcUrl: chain.url, chainId: chain.id, treasuryKey });
  print(`Parley at ${parley.url}, its treasury is ${treasury.address}`);

  step("Four users register, and prove with a signature that they own their wallets");
  const ann = await registerUser(parley.url, "ann", richAccount(1));
  const claimers: User[] = [];
  for (const name of ["bob", "cat", "dan"]) {
    claimers.push(await registerUser(parley.url, name, privateKeyToAccount(generatePrivateKey())));
  }
  for (const { name, wallet } of [ann, ...claimers]) print(`${name} ${wallet.address}`);
  const addresses = [ann.wallet, ...claimers.map(({ wallet }) => wallet), treasury].map(({ address }) => address);
  const before = await balances(chain, addresses);

  step(`ann creates a packet of ${eth(TOTAL)} in 3 shares`);
  const packetId = await fundPacket(chain, ann);

  step("Three claim a share, bob twice");
  const claims = [];
  for (const { client } of claimers) claims.push((await client.packets.claim(packetId)).claim);
  for (const { username, amount } of claims) print(`${username} gets ${eth(BigInt(amount))}`);
  const again = await claimers[0]?.client.packets.claim(packetId);
  equal(again?.claim.claim_id, claims[0]?.claim_id);
  print("bob again: the same claim");

  step("The platform pays the shares and the gas");
  for (const user of claimers) await verifyPayout(chain, user, packetId, treasury.address);

  step("Balances on the chain");
  await printBalances(chain, addresses, ["ann", ...claimers.map(({ name }) => name), "treasury"], before);

  step("The packet is closed, so its seed is public and anyone can compute the split again");
  const { fairness } = (await new ParleyClient({ url: parley.url }).packets.get(packetId)).red_packet;
  print(`commitment ${fairness.commitment}`);
  print(`seed       ${fairness.seed}`);
  print(await parley.command("packet", "verify", `${parley.url}/api/red-packets/${packetId}`));

  step("Payouts, ledger and treasury agree");
  print(await parley.command("payouts", "reconcile"));
  const findings = (await parley.command("doctor")).split("\n");
  print(findings.filter((line) => /^\S+ +(ledger|payouts|EVM chain):/.test(line)).join("\n"));
}

/** Registers a user and proves that they own the wallet: the server pays only proven addresses. */
async function registerUser(url: string, name: string, wallet: LocalAccount): Promise<User> {
  const client = new ParleyClient({ url });
  await client.accounts.register({ username: name, password: randomBytes(16).toString("hex") });
  const challenge = await client.accounts.challengeWallet(name, { chain: "evm", address: wallet.address });
  const signature = await wallet.signMessage({ message: challenge.message_to_sign });
  await client.accounts.proveWallet(name, { challenge_id: challenge.challenge_id, signature });
  return { name, client, wallet };
}

/** Creates a packet, makes the deposit, and waits until the server has confirmed it. */
async function fundPacket({ id, reader, writer }: Chain, { client, wallet }: User): Promise<number> {
  const { packet_id, red_packet, deposit } = await client.packets.create({
    channel_slug: "general",
    chain: "evm",
    chain_id: id,
    currency: "ETH",
    total_amount: String(TOTAL),
    count: 3,
    greeting: "Happy new year",
  });
  ok(deposit, "a packet on a chain has a deposit");
  print(`packet ${packet_id}, ${red_packet.status}; commitment ${red_packet.fairness.commitment}`);
  print(`deposit: ${eth(BigInt(deposit.amount))} to ${deposit.address}`);
  print(`with the reference ${deposit.reference}`);

  step("ann sends the deposit, and pays its gas");
  const hash = await writer.sendTransaction({
    account: wallet,
    to: deposit.address as Address,
    value: BigInt(deposit.amount),
    data: deposit.reference as Hex,
  });
  // The server requires the second block too, and polls every few seconds.
  const receipt = await reader.waitForTransactionReceipt({ hash, confirmations: 2 });
  print(`${hash} in block ${receipt.blockNumber}, gas ${eth(receipt.gasUsed * receipt.effectiveGasPrice)}`);
  await client.packets.fund(packet_id, hash);
  await until(async () => (await client.packets.get(packet_id)).red_packet.status === "active");
  print(`packet ${packet_id} is active, two blocks deep`);
  return packet_id;
}

/** Waits until the payout of a claim is final, and verifies its transaction on the chain. */
async function verifyPayout(
  { reader }: Chain,
  { name, client, wallet }: User,
  packetId: number,
  by: Address,
): Promise<void> {
  const { amount, payout } = await until(async () => settledClaim(client, packetId));
  const hash = payout.tx_hash ?? "";
  ok(isHash(hash));
  const [sent, receipt] = await Promise.all([reader.getTransaction({ hash }), reader.getTransactionReceipt({ hash })]);
  equal(receipt.status, "success");
  equal(sent.from.toLowerCase(), by.toLowerCase());
  equal(sent.to?.toLowerCase(), wallet.address.toLowerCase());
  equal(sent.value, BigInt(amount));
  const gas = eth(receipt.gasUsed * receipt.effectiveGasPrice);
  print(`${name} ${hash} in block ${receipt.blockNumber}, gas ${gas} by the ${payout.gas_paid_by}`);
}

async function settledClaim(client: ParleyClient, packetId: number): Promise<RedPacketClaim | null> {
  const { my_claim } = (await client.packets.get(packetId)).red_packet;
  ok(my_claim !== null && my_claim.payout.status !== "failed", "the payout has not failed");
  return my_claim.payout.status === "settled" ? my_claim : null;
}

const balances = ({ reader }: Chain, addresses: readonly Address[]): Promise<bigint[]> =>
  Promise.all(addresses.map((address) => reader.getBalance({ address })));

/** Prints the balances. Throws unless the claimers' payouts add up to the packet's amount, to the last wei. */
async function printBalances(chain: Chain, addresses: Address[], names: string[], before: bigint[]): Promise<void> {
  const after = await balances(chain, addresses);
  const gains = after.map((amount, n) => amount - (before[n] ?? 0n));
  const row = (texts: string[]): void =>
    print(
      texts
        .map((text, n) => text.padEnd(n === 0 ? 10 : 30))
        .join("")
        .trimEnd(),
    );
  row(["", "before", "after", "change"]);
  for (const [n, name] of names.entries()) row([name, eth(before[n] ?? 0n), eth(after[n] ?? 0n), eth(gains[n] ?? 0n)]);
  equal(
    gains.slice(1, -1).reduce((sum, gain) => sum + gain, 0n),
    TOTAL,
  );
  print(`the sum of the three shares is ${eth(TOTAL)}`);
}

/** Polls until `probe` returns a value. `main` sets the total time limit. */
async function until<T>(probe: () => Promise<T | null | false>): Promise<T> {
  for (;;) {
    const answer = await probe();
    if (answer !== null && answer !== false) return answer;
    await Bun.sleep(100);
  }
}

/** Runs the demo until it succeeds, fails, times out or is interrupted. Returns the exit code. */
async function main(): Promise<number> {
  const started = performance.now();
  const seconds = (): string => ((performance.now() - started) / 1_000).toFixed(1);
  const stopped = Promise.withResolvers<number>();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => stopped.resolve(128 + constants.signals[signal]));
  }
  setTimeout(() => stopped.reject(new Error(`It took longer than ${LIMIT_MS / 1_000} s.`)), LIMIT_MS);
  try {
    await using sandbox = new Sandbox();
    const code = await Promise.race([redPacket(sandbox).then(() => 0), stopped.promise, sandbox.broken]);
    console.log(
      code === 0
        ? `\nDone in ${seconds()} s. Removing the server, the chain and their folder.`
        : "\nStopped. Removing the server, the chain and their folder.",
    );
    return code;
  } catch (error) {
    console.error(`\nThe demo failed after ${seconds()} s:`, error);
    return 1;
  }
}

process.exit(await main());
