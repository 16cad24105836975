/**
 * A red packet of real transfers, on a chain of this machine: npm run demo:red-packet
 * One user funds it, three claim, the platform pays them out, and anybody can verify the split. Leaves nothing behind.
 */
import { equal, ok } from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { constants } from "node:os";
import type { RedPacketClaim } from "@parley/protocol/red-packets";
import { ParleyClient } from "@parley/sdk/client";
import { type Address, formatEther, type Hex, isHash, type LocalAccount, parseEther, toHex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { richAccount, startChain } from "./local-chain.ts";
import { startParley } from "./local-parley.ts";
import { Sandbox } from "./sandbox.ts";

const TOTAL = parseEther("0.3");
const LIMIT_MS = 60_000;

type Chain = Awaited<ReturnType<typeof startChain>>;

interface Person {
  name: string;
  client: ParleyClient;
  wallet: LocalAccount;
}

let steps = 0;
const step = (title: string): void => console.log(`\n${String(++steps).padStart(2)}. ${title}`);
const tell = (text: string): void => console.log(text.replace(/^/gm, "    "));
const eth = (wei: bigint): string => `${formatEther(wei)} ETH`;

async function redPacket(sandbox: Sandbox): Promise<void> {
  step("A chain and a server, both on this machine");
  const chain = await startChain(sandbox);
  tell(`anvil at ${chain.url}, chain ${chain.id}, two blocks a second`);
  const treasury = richAccount(0);
  const treasuryKey = toHex(treasury.getHdKey().privateKey ?? new Uint8Array());
  const parley = await startParley(sandbox, { rpcUrl: chain.url, chainId: chain.id, treasuryKey });
  tell(`Parley at ${parley.url}, its treasury is ${treasury.address}`);

  step("Four people register and prove their wallets with a signature");
  const ann = await newPerson(parley.url, "ann", richAccount(1));
  const claimers: Person[] = [];
  for (const name of ["bob", "cat", "dan"]) {
    claimers.push(await newPerson(parley.url, name, privateKeyToAccount(generatePrivateKey())));
  }
  for (const { name, wallet } of [ann, ...claimers]) tell(`${name} ${wallet.address}`);
  const everybody = [ann.wallet, ...claimers.map(({ wallet }) => wallet), treasury].map(({ address }) => address);
  const before = await balances(chain, everybody);

  step(`ann makes a packet of ${eth(TOTAL)} in 3 shares`);
  const packetId = await fundedPacket(chain, ann);

  step("Three claim, bob twice");
  const claims = [];
  for (const { client } of claimers) claims.push((await client.packets.claim(packetId)).claim);
  for (const { username, amount } of claims) tell(`${username} gets ${eth(BigInt(amount))}`);
  const again = await claimers[0]?.client.packets.claim(packetId);
  equal(again?.claim.claim_id, claims[0]?.claim_id);
  tell("bob again: the same claim");

  step("The platform pays, and pays the gas");
  for (const person of claimers) await paid(chain, person, packetId, treasury.address);

  step("Balances on the chain");
  await tellBalances(chain, everybody, ["ann", ...claimers.map(({ name }) => name), "treasury"], before);

  step("The packet is closed, so its seed is shown and anybody can work the split out again");
  const { fairness } = (await new ParleyClient({ url: parley.url }).packets.get(packetId)).red_packet;
  tell(`commitment ${fairness.commitment}`);
  tell(`seed       ${fairness.seed}`);
  tell(await parley.command("packet", "verify", `${parley.url}/api/red-packets/${packetId}`));

  step("Payouts, ledger and wallet agree");
  tell(await parley.command("payouts", "reconcile"));
  const findings = (await parley.command("doctor")).split("\n");
  tell(findings.filter((line) => /^\S+ +(ledger|payouts|EVM chain):/.test(line)).join("\n"));
}

/** Registers a user and proves that the wallet is theirs: shares are paid to proven addresses only. */
async function newPerson(url: string, name: string, wallet: LocalAccount): Promise<Person> {
  const client = new ParleyClient({ url });
  await client.accounts.register({ username: name, password: randomBytes(16).toString("hex") });
  const challenge = await client.accounts.challengeWallet(name, { chain: "evm", address: wallet.address });
  const signature = await wallet.signMessage({ message: challenge.message_to_sign });
  await client.accounts.proveWallet(name, { challenge_id: challenge.challenge_id, signature });
  return { name, client, wallet };
}

/** Creates a packet, makes the deposit, and waits until the server has confirmed it. */
async function fundedPacket({ id, reader, writer }: Chain, { client, wallet }: Person): Promise<number> {
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
  tell(`packet ${packet_id}, ${red_packet.status}; commitment ${red_packet.fairness.commitment}`);
  tell(`to be sent: ${eth(BigInt(deposit.amount))} to ${deposit.address}`);
  tell(`with the reference ${deposit.reference}`);

  step("ann sends it, and pays that gas herself");
  const hash = await writer.sendTransaction({
    account: wallet,
    to: deposit.address as Address,
    value: BigInt(deposit.amount),
    data: deposit.reference as Hex,
  });
  // The server requires the second block too, and polls every few seconds.
  const receipt = await reader.waitForTransactionReceipt({ hash, confirmations: 2 });
  tell(`${hash} in block ${receipt.blockNumber}, gas ${eth(receipt.gasUsed * receipt.effectiveGasPrice)}`);
  await client.packets.fund(packet_id, hash);
  await until(async () => (await client.packets.get(packet_id)).red_packet.status === "active");
  tell(`packet ${packet_id} is active, two blocks deep`);
  return packet_id;
}

/** Waits until a claim's payout is final, and checks on the chain who paid it. */
async function paid({ reader }: Chain, { name, client, wallet }: Person, packetId: number, by: Address): Promise<void> {
  const { amount, payout } = await until(async () => settledClaim(client, packetId));
  const hash = payout.tx_hash ?? "";
  ok(isHash(hash));
  const [sent, receipt] = await Promise.all([reader.getTransaction({ hash }), reader.getTransactionReceipt({ hash })]);
  equal(receipt.status, "success");
  equal(sent.from.toLowerCase(), by.toLowerCase());
  equal(sent.to?.toLowerCase(), wallet.address.toLowerCase());
  equal(sent.value, BigInt(amount));
  const gas = eth(receipt.gasUsed * receipt.effectiveGasPrice);
  tell(`${name} ${hash} in block ${receipt.blockNumber}, gas ${gas} by the ${payout.gas_paid_by}`);
}

async function settledClaim(client: ParleyClient, packetId: number): Promise<RedPacketClaim | null> {
  const { my_claim } = (await client.packets.get(packetId)).red_packet;
  ok(my_claim !== null && my_claim.payout.status !== "failed", "the payout has not failed");
  return my_claim.payout.status === "settled" ? my_claim : null;
}

const balances = ({ reader }: Chain, addresses: readonly Address[]): Promise<bigint[]> =>
  Promise.all(addresses.map((address) => reader.getBalance({ address })));

/** Throws unless the claimers' payouts add up to the packet's amount, to the last wei. */
async function tellBalances(chain: Chain, addresses: Address[], names: string[], before: bigint[]): Promise<void> {
  const after = await balances(chain, addresses);
  const gains = after.map((amount, n) => amount - (before[n] ?? 0n));
  const row = (texts: string[]): void =>
    tell(
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
  tell(`the three shares are ${eth(TOTAL)} together`);
}

/** Polls until there is an answer. `main` sets the total time limit. */
async function until<T>(probe: () => Promise<T | null | false>): Promise<T> {
  for (;;) {
    const answer = await probe();
    if (answer !== null && answer !== false) return answer;
    await Bun.sleep(100);
  }
}

/** Runs all of it, until it succeeds, fails, times out or is interrupted. Returns the exit code. */
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
    console.log(code === 0 ? `\nDone in ${seconds()} s. Server, chain and folder go now.` : "\nStopped; clearing up.");
    return code;
  } catch (error) {
    console.error(`\nThe demo has failed after ${seconds()} s:`, error);
    return 1;
  }
}

process.exit(await main());
