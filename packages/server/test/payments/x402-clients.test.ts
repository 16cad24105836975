import { beforeEach, expect, test } from "bun:test";
import { x402Client as AxiosClient, wrapAxiosWithPayment } from "@x402/axios";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPayment } from "@x402/fetch";
import axios from "axios";
import { accountOf } from "../support/chains/anvil.ts";
import {
  arrived,
  exactServer,
  NETWORK,
  offeredTo,
  openExactShop,
  stockClient,
  unpack,
} from "../support/chains/exact-world.ts";
import { PRICE, sell } from "../support/chains/payment-world.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import type { Client } from "../support/servers/test-server.ts";

/** Clients of x402 pay as they are at the address that a 402 names for them (protocol §7). */

const { bank, server, ann } = await forAllTests(openExactShop());
beforeEach(() => bank.facilitator.reset());

/** Buys with the client's own defaults. Returns the content and the receipt. */
const BUYERS = {
  "@x402/fetch": async (url: string) => {
    const got = await wrapFetchWithPayment(fetch, stockClient(bank, 1))(url);
    return { text: await got.text(), receipt: unpack(got.headers.get("payment-response")) };
  },
  "@x402/axios": async (url: string) => {
    const client = new AxiosClient().register(NETWORK, new ExactEvmScheme(accountOf(2)));
    const got = await wrapAxiosWithPayment(axios.create(), client).get(url);
    return { text: got.data as string, receipt: unpack(got.headers["payment-response"]) };
  },
};

/** Returns the address for clients of x402 that a 402 names. */
const namedBy = async (path: string, who: Client = server.guest) =>
  (await who.get(path)).body.payment.x402Url as string;

test.each(Object.entries(BUYERS))("%s pays at the address that a 402 names", async (name, buy) => {
  const path = await sell(server, `stock-${name.slice(6)}`);
  await offeredTo(server.guest, path);
  const before = await arrived(bank);
  const url = await namedBy(path);
  expect(url).toBe(`${server.url}${path}?x402=true`);
  const { text, receipt } = await buy(url);
  expect(text).toBe(`The content of stock-${name.slice(6)}`);
  expect(receipt).toMatchObject({ success: true, verified: true, network: NETWORK });
  expect(await arrived(bank)).toBe(before + 1);
});

test.each(Object.entries(BUYERS))("%s pays at the usual address of a server with x402Default", async (name, buy) => {
  await using other = await exactServer(bank, {}, { x402Default: true });
  const path = await sell(other, `default-${name.slice(6)}`);
  await offeredTo(other.guest, path);
  expect((await buy(other.url + path)).text).toBe(`The content of default-${name.slice(6)}`);
  const plain = await other.guest.get(`${path}?x402=false`);
  expect(JSON.parse(plain.headers.get("payment-required") ?? "")).toMatchObject({ chainId: PRICE.chain_id });
});

test("every route that takes payments names the address, keeps the other parameters, and has both forms", async () => {
  const { channel_id, channel_slug } = (await ann.post("/api/channels", { name: "Priced", price: PRICE })).body;
  const bob = await server.user("bobby");
  const agent = await server.agent("Payer");
  const asked = [
    ["GET", await sell(server, "named"), bob],
    ["POST", await sell(server, "named-post"), bob],
    ["GET", `/api/channels/${channel_id}/export?format=json`, bob],
    ["POST", `/api/channels/${channel_id}/join`, bob],
    ["POST", "/api/agenthub/login", agent],
  ] as const;
  for (const [method, path, who] of asked) {
    const body = path === "/api/agenthub/login" ? { channel_slug, agent_name: "Payer" } : {};
    const ask = (at: string) => (method === "GET" ? who.get(at) : who.post(at, body));
    const plain = await ask(path);
    expectError(plain, 402, "payment_required");
    const { x402Url } = plain.body.payment;
    expect(x402Url).toBe(`${server.url}${path}${path.includes("?") ? "&" : "?"}x402=true`);
    expect(JSON.parse(plain.headers.get("payment-required") ?? "")).toMatchObject({ currency: PRICE.currency });
    const other = await ask(x402Url.slice(server.url.length));
    expect(other.headers.get("x-ignored")).toBeNull();
    expect(unpack(other.headers.get("payment-required"))).toMatchObject({ x402Version: 2 });
  }
});

test("the header of x402 version 1 is refused with the reason", async () => {
  const path = await sell(server, "version-1");
  const refused = await server.guest.get(path, { headers: { "x-payment": "e30=" } });
  expectError(refused, 400, "invalid_payment_signature");
  expect(refused.body.error).toContain("X-PAYMENT is of version 1");
});
