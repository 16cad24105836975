import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { AgentClient, ParleyClient } from "@parley/sdk";
import { OverSpendingCap, PaymentIncomplete, type PaymentWallet, payAndFetch } from "@parley/sdk/payments";
import { PayThenProve } from "@parley/sdk/x402";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { encodeFunctionData } from "viem";
import { ANVIL_CHAIN_ID, accountOf } from "../support/chains/anvil.ts";
import { contracts } from "../support/chains/contracts.ts";
import { COIN_PRICE, expectTail, openShop, PLATFORM, PRICE, payToken, sell } from "../support/chains/payment-world.ts";
import { RpcProxy } from "../support/chains/rpc-proxy.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { freePort } from "../support/servers/child-server.ts";
import { staff } from "../support/staff.ts";

/** Real clients against a real server and chain: the sdk's and x402's own (protocol §7). */
let paid = 0;

// The strict setting: a bare hash is not a proof.
const { bank, server, ann, bob } = await forAllTests(openShop({}, { paymentAllowUnbound: false }));

function walletOf(index: number): PaymentWallet {
  const account = accountOf(index);
  return {
    address: account.address,
    sign: (message) => account.signMessage({ message }),
    async pay({ recipient, amount, tokenAddress }) {
      paid += 1;
      const { abi } = contracts().TestToken;
      const args = [recipient, amount] as const;
      if (tokenAddress === null) return bank.anvil.send(index, recipient as `0x${string}`, amount);
      const data = encodeFunctionData({ abi, functionName: "transfer", args });
      return bank.anvil.send(index, tokenAddress as `0x${string}`, 0n, data);
    },
  };
}

const cap = () => ({ chainId: ANVIL_CHAIN_ID, tokenAddress: bank.usdc as string | null, maxAmount: 2_000_000n });

describe("payAndFetch", () => {
  test("pays once and gets the resource, and pays nothing for free ones", async () => {
    const url = server.url + (await sell(server, "sdk"));
    const before = paid;
    const got = await payAndFetch(url, walletOf(1), cap());
    expect(await got.text()).toBe("The content of sdk");
    expect(JSON.parse(got.headers.get("payment-response") ?? "").verified).toBeTrue();
    expect((await payAndFetch(`${server.url}/api/channels`, walletOf(1), cap())).status).toBe(200);
    expect(paid).toBe(before + 1);
  });

  test("never pays above the cap, in another asset or on another chain", async () => {
    const [tokens, coins] = [await sell(server, "dear"), await sell(server, "dear-coin", COIN_PRICE)];
    const before = paid;
    for (const [path, limit] of [
      [tokens, { ...cap(), maxAmount: 999_999n }],
      [tokens, { ...cap(), tokenAddress: null }],
      [tokens, { ...cap(), tokenAddress: bank.look_alike }],
      [tokens, { ...cap(), chainId: 1 }],
      [coins, { ...cap(), maxAmount: 10n ** 30n }],
    ] as const) {
      expect(payAndFetch(server.url + path, walletOf(1), limit)).rejects.toBeInstanceOf(OverSpendingCap);
    }
    expect(paid).toBe(before);
  });

  test("pays the unique amount, or the bare price if the cap leaves no room for more", async () => {
    const path = await sell(server, "exact-sum");
    const amounts: bigint[] = [];
    for (const [index, maxAmount] of [
      [5, 2_000_000n],
      [6, BigInt(PRICE.amount)],
    ] as const) {
      const wallet = walletOf(index);
      const pay: PaymentWallet["pay"] = (payment) => {
        amounts.push(payment.amount);
        return wallet.pay(payment);
      };
      const got = await payAndFetch(server.url + path, { ...wallet, pay }, { ...cap(), maxAmount });
      expect(got.status).toBe(200);
    }
    expectTail(String(amounts[0]), BigInt(PRICE.amount));
    expect(amounts[1]).toBe(BigInt(PRICE.amount));
  });

  test("fetches a lost response again without paying again", async () => {
    const url = server.url + (await sell(server, "lossy"));
    let losses = 2;
    const lossy = Object.assign(
      async (...call: Parameters<typeof fetch>) => {
        const response = await fetch(...call);
        if (response.ok && losses-- > 0) throw new TypeError("the connection broke");
        return response;
      },
      { preconnect: fetch.preconnect },
    );
    const before = paid;
    const got = await payAndFetch(url, walletOf(2), { ...cap(), fetch: lossy });
    expect(await got.text()).toBe("The content of lossy");
    expect(paid).toBe(before + 1);
  });

  test("reports the payment if the resource does not arrive, and continues from there", async () => {
    const url = server.url + (await sell(server, "wrong"));
    const wallet = walletOf(3);
    const stingy = { ...wallet, pay: () => payToken(bank, 3, PLATFORM, 1n) };
    const failed = await payAndFetch(url, stingy, cap()).catch((error) => error);
    expect(failed).toBeInstanceOf(PaymentIncomplete);
    expect(failed.cause).toMatchObject({ code: "amount_too_low" });
    const txHash = await payToken(bank, 3, PLATFORM, BigInt(PRICE.amount));
    const got = await payAndFetch(url, wallet, { ...cap(), proof: { ...failed.proof, txHash } });
    expect(got.status).toBe(200);
  });

  test("joins a channel through the sdk, where administrators can see and sell", async () => {
    const channel_id = (await ann.post("/api/channels", { name: "Paid" })).body.channel_id;
    await ann.put(`/api/channels/${channel_id}`, { price: PRICE });
    const buyer = new ParleyClient({ url: server.url, cookie: bob.credential.cookie });
    const joined = await buyer.payments.fetch(`/api/channels/${channel_id}/join`, walletOf(4), {
      ...cap(),
      method: "POST",
      body: {},
    });
    expect(await joined.json()).toMatchObject({ my_role: "member" });
    const boss = new ParleyClient({ url: server.url, cookie: (await staff(server, "boss", 2)).credential.cookie });
    const sold = await boss.payments.sell({ slug: "by-sdk", price: PRICE, json: { answer: 42 } });
    expect(sold.resource).toMatchObject({ url: "/api/paid/by-sdk", media_type: "application/json", sold: 0 });
    expect(await (await buyer.payments.fetch("/api/paid/by-sdk", walletOf(4), cap())).json()).toEqual({ answer: 42 });
    expect((await boss.payments.resources()).resources.find(({ slug }) => slug === "by-sdk")?.sold).toBe(1);
    const { payments } = await boss.payments.list({ username: "bob" });
    expect(payments).toMatchObject([
      { resource: "/api/paid/by-sdk", state: "granted", binding: "signature", presented_by: "user:bob" },
      { resource: `/api/channels/${channel_id}/join`, payer: accountOf(4).address },
    ]);
    const { totals } = await boss.payments.totals();
    expect(totals).toHaveLength(1);
    const rows = await server.ctx.db.selectFrom("payments").select("amount").where("state", "=", "granted").execute();
    const sum = rows.reduce((total, { amount }) => total + BigInt(amount ?? 0), 0n);
    expect(totals[0]).toMatchObject({ amount: String(sum), count: rows.length });
    expect((await boss.payments.unsell("by-sdk")).slug).toBe("by-sdk");
  });
});

describe("AgentClient.join", () => {
  /** Makes a channel with a price and an agent that has not paid. */
  async function pricedChannel(agentName: string) {
    const { channel_slug: channel } = (await ann.post("/api/channels", { name: `For ${agentName}`, price: PRICE }))
      .body;
    const { apiKey } = await server.agent(agentName);
    return { channel, agent: new AgentClient({ url: server.url, apiKey, name: agentName }) };
  }

  test("pays for a channel within the cap, once, and can then send", async () => {
    const { channel, agent } = await pricedChannel("Buyer");
    const before = paid;
    const joined = await agent.join({ channel, wallet: walletOf(5), cap: cap() });
    expect(joined).toMatchObject({ channel_slug: channel, agent_name: "Buyer" });
    await agent.join({ channel, wallet: walletOf(5), cap: cap() });
    expect(paid).toBe(before + 1);
    expect(await agent.send(channel, "Bought.")).toMatchObject({ channel_slug: channel });
  });

  test("without a wallet, and above the cap, it throws and pays nothing", async () => {
    const { channel, agent } = await pricedChannel("Miser");
    const before = paid;
    await expect(agent.join({ channel })).rejects.toMatchObject({ code: "payment_required", status: 402 });
    const low = { ...cap(), maxAmount: 1n };
    await expect(agent.join({ channel, wallet: walletOf(5), cap: low })).rejects.toBeInstanceOf(OverSpendingCap);
    expect(paid).toBe(before);
  });

  test("continues with the proof of a payment whose response was lost", async () => {
    const { channel, agent } = await pricedChannel("Unlucky");
    const wallet = walletOf(5);
    const short = { ...wallet, pay: () => payToken(bank, 5, PLATFORM, 1n) };
    const failed = await agent.join({ channel, wallet: short, cap: cap() }).catch((error) => error);
    expect(failed).toBeInstanceOf(PaymentIncomplete);
    const txHash = await payToken(bank, 5, PLATFORM, BigInt(PRICE.amount));
    const proof = { ...failed.proof, txHash };
    expect(await agent.join({ channel, wallet, cap: cap(), proof })).toMatchObject({ channel_slug: channel });
  });
});

describe("the example agent", () => {
  const main = join(import.meta.dir, "../../../../examples/paying-agent/main.ts");
  const key = Buffer.from(accountOf(6).getHdKey().privateKey ?? []).toString("hex");
  const buy = async (channelId: number, rpcUrl: string, most: string) => {
    const program = [process.execPath, main, server.url, String(channelId), rpcUrl, `0x${key}`, most];
    await using child = Bun.spawn(program, { stdout: "pipe", stderr: "pipe" });
    const [response, problem] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    return { response, problem, code: await child.exited };
  };

  test("buys a history through an RPC server without receipts, as on a quiet chain", async () => {
    const ann = await server.user("anna");
    const { channel_id } = (await ann.post("/api/channels", { name: "Dear", price: COIN_PRICE })).body;
    expect((await ann.post("/api/messages", { channel_id, content: "Copper is up." })).status).toBe(201);
    await using proxy = new RpcProxy(bank.anvil.url);
    proxy.lie("eth_getTransactionReceipt", () => null);
    const { response, problem, code } = await buy(channel_id, proxy.url, COIN_PRICE.amount);
    expect([problem, code]).toEqual(["", 0]);
    expect(response).toMatch(/^paying 1000000000000000 ETH to 0x\w+\npaid: \{"txHash":"0x\w+","verified":true\}\n/);
    expect(response).toEndWith("anna: Copper is up.\n");
  });

  test("reports a price above its cap and a missing chain, and pays nothing", async () => {
    const ann = await server.user("annika");
    const { channel_id } = (await ann.post("/api/channels", { name: "Dearer", price: COIN_PRICE })).body;
    const { response, problem, code } = await buy(channel_id, bank.anvil.url, "999999999999999");
    expect([response, problem, code]).toEqual([
      "",
      `Nothing was paid: 1000000000000000 of the native coin on chain ${ANVIL_CHAIN_ID} is not within the cap.\n`,
      1,
    ]);
    const nowhere = `http://127.0.0.1:${freePort()}`;
    expect((await buy(channel_id, nowhere, "1")).problem).toBe(`The RPC server at ${nowhere}: HTTP request failed.\n`);
  });
});

describe("a standard client of x402 version 2", () => {
  const clientOf = (index: number) =>
    new x402Client().register(`eip155:${ANVIL_CHAIN_ID}`, new PayThenProve(walletOf(index))).setSpendControls({
      allowedAssets: [{ network: `eip155:${ANVIL_CHAIN_ID}`, asset: bank.usdc, maxAmountPerPayment: "2000000" }],
    });

  test("gets its resource with the sdk's scheme", async () => {
    const url = server.url + (await sell(server, "x402"));
    const pay = wrapFetchWithPayment(fetch, clientOf(5));
    const got = await pay(url, { headers: { "X402-Version": "2" } });
    expect({ status: got.status, text: await got.text() }).toEqual({ status: 200, text: "The content of x402" });
    const receipt = JSON.parse(Buffer.from(got.headers.get("payment-response") ?? "", "base64").toString());
    expect(receipt).toMatchObject({
      success: true,
      verified: true,
      network: `eip155:${ANVIL_CHAIN_ID}`,
      payer: accountOf(5).address,
    });
    expect(receipt.transaction).toBe(receipt.txHash);
  });

  test("receives challenges with the protocol's fields and refusals in the form of x402", async () => {
    const path = await sell(server, "x402-refused");
    const headers = { "x402-version": "2" };
    const asked = await server.guest.get(path, { headers });
    const challenge = JSON.parse(Buffer.from(asked.headers.get("payment-required") ?? "", "base64").toString());
    expect(challenge).toMatchObject({
      x402Version: 2,
      chainId: ANVIL_CHAIN_ID,
      recipient: PLATFORM,
    });
    expectTail(challenge.amount, BigInt(PRICE.amount));
    expect(challenge.resource).toMatchObject({ url: server.url + path });
    const [accepted] = challenge.accepts;
    const payload = { txHash: `0x${"77".repeat(32)}` };
    const proof = Buffer.from(JSON.stringify({ x402Version: 2, accepted, payload })).toString("base64");
    const refused = await server.guest.get(path, { headers: { "payment-signature": proof } });
    expect(refused.status).toBe(402);
    const response = JSON.parse(Buffer.from(refused.headers.get("payment-response") ?? "", "base64").toString());
    expect(response).toMatchObject({ success: false, verified: false, errorReason: "tx_not_found" });
  });
});
