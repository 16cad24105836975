import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import type { Chain } from "../../server/src/chains/chain.ts";
import { chainsOf } from "../../server/src/chains/chains.ts";
import { accountOf } from "../../server/test/support/chains/anvil.ts";
import { ChainWorld } from "../../server/test/support/chains/chain-world.ts";
import {
  type Bank,
  COIN_PRICE,
  openBank,
  PLATFORM,
  PRICE,
  payToken,
  sellingServer,
} from "../../server/test/support/chains/payment-world.ts";
import { ScriptedChain, TREASURY } from "../../server/test/support/chains/scripted-chain.ts";
import { evmWalletOf, proveWallet } from "../../server/test/support/chains/wallets.ts";
import type { Client, TestServer } from "../../server/test/support/servers/test-server.ts";
import { staff } from "../../server/test/support/staff.ts";
import { axeProblems } from "./support/axe.ts";
import { BrowserWallet } from "./support/browser-wallet.ts";
import { eachServer } from "./support/browser-world.ts";
import { ChatVisit } from "./support/chat-visit.ts";

const SECRET = "the secret herring";

describe("a channel with a price in a browser, paid on a real chain", () => {
  let bank: Bank;
  const world = eachServer(() => sellingServer(bank, {}, { evmConfirmations: 3 }), [400, 402, 403, 409]);
  let ann: Client;
  let ben: Client;

  beforeAll(async () => {
    bank = await openBank();
  }, 60_000);
  afterAll(() => bank[Symbol.asyncDispose]());
  beforeEach(async () => {
    [ann, ben] = [await world.server.user("ann"), await world.server.user("ben")];
  });

  /** Creates a channel of ann's with a message in it. */
  async function shop(price: object, settings: object = {}): Promise<number> {
    const { body } = await ann.post("/api/channels", { name: "Shop", ...settings });
    await ann.post("/api/messages", { channel_id: body.channel_id, content: SECRET });
    expect((await ann.put(`/api/channels/${body.channel_id}`, { price })).status).toBe(200);
    return body.channel_id;
  }

  const visit = async (as: Client | null, options = {}): Promise<[Page, Locator]> => {
    const { url } = as ?? world.server;
    const who = as === null ? {} : { as };
    const { page } = await ChatVisit.open(world.visits, url, { ...who, at: "#/c/shop", ...options });
    return [page, page.locator("section.join")];
  };
  const paid = () => bank.anvil.client.getBalance({ address: PLATFORM });
  const role = async (id: number) => (await ben.get(`/api/channels/${id}`)).body.channel?.my_role;

  test("the browser's wallet pays in the chain's coin, and the page waits for confirmations and joins", async () => {
    const id = await shop(COIN_PRICE);
    const before = await paid();
    const [page, panel] = await visit(ben);
    const wallet = await BrowserWallet.install(page, bank.anvil, 1);
    wallet.chainId = 1;
    await page.reload();
    await panel.getByText("Joining this channel costs 0.001 ETH on EVM chain 31337.").waitFor();
    expect(await axeProblems(page, "#conversation")).toEqual([]);
    await panel.getByRole("button", { name: "Pay 0.001 ETH with your wallet" }).click();
    await panel.getByText("Waiting for confirmations").waitFor();
    expect(await axeProblems(page, "#conversation")).toEqual([]);
    expect(wallet.methods()).toContain("wallet_switchEthereumChain");
    expect(await role(id)).toBeUndefined();
    await bank.anvil.mine(3);
    // The notice disappears by itself.
    await Promise.all([page.getByText(SECRET).waitFor(), page.getByText("You joined Shop.").waitFor()]);
    expect(await role(id)).toBe("member");
    expect((await paid()) - before).toBe(BigInt(COIN_PRICE.amount));
    const { payments } = (await paymentsOf(world.server)).body;
    expect(payments).toMatchObject([{ state: "granted", binding: "reference", presented_by: "user:ben" }]);
  });

  test("a token is accepted, too, and a payment survives closing the page before it is submitted", async () => {
    const id = await shop(PRICE);
    const [page, panel] = await visit(ben, { colorScheme: "dark" });
    const wallet = await BrowserWallet.install(page, bank.anvil, 1);
    await page.reload();
    await panel.getByRole("button", { name: "Pay 1 USDC with your wallet" }).click();
    await panel.getByText("Waiting for confirmations").waitFor();
    const hash = await panel.getByLabel("Transaction hash", { exact: true }).inputValue();
    // The page is closed while the chain continues.
    await page.goto("about:blank");
    await bank.anvil.mine(3);
    await page.goto(`${world.server.url}/#/c/shop`);
    await page.getByText(SECRET).waitFor();
    expect(await role(id)).toBe("member");
    expect(wallet.methods().filter((method) => method === "eth_sendTransaction")).toHaveLength(1);
    expect((await paymentsOf(world.server)).body.payments).toMatchObject([{ tx_hash: hash, amount: PRICE.amount }]);
    expect(await page.evaluate("Object.keys(localStorage).filter((key) => key.includes('place'))")).toEqual([]);
  });

  test("a rejection in the wallet is reported without a loss, and the password is asked first", async () => {
    const id = await shop(PRICE, { is_private: true, password: "open sesame" });
    const [page, panel] = await visit(ben, { viewport: { width: 390, height: 760 } });
    const wallet = await BrowserWallet.install(page, bank.anvil, 2);
    await page.reload();
    const pay = panel.getByRole("button", { name: "Pay 1 USDC with your wallet" });
    await panel.getByLabel("Password").fill("wrong");
    await pay.click();
    await panel.getByText("Wrong channel password.").waitFor();
    expect(wallet.calls).toEqual([]);
    await panel.getByLabel("Password").fill("open sesame");
    wallet.refusal = { method: "eth_sendTransaction", code: 4001, message: "User rejected the request." };
    await pay.click();
    await panel.getByText("You rejected the request in your wallet. Nothing was sent.").waitFor();
    expect(await axeProblems(page, "#conversation")).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    await pay.click();
    await panel.getByText("Waiting for confirmations").waitFor();
    await page.reload();
    await panel.getByText("You've already paid.").waitFor();
    await bank.anvil.mine(3);
    await panel.getByLabel("Password").fill("open sesame");
    await panel.getByRole("button", { name: "Finish joining" }).click();
    await page.getByText(SECRET).waitFor();
    expect(await role(id)).toBe("member");
  });

  test("a changed price is shown before anything is paid, and a channel that became free is joined", async () => {
    const id = await shop(PRICE);
    const [page, panel] = await visit(ben);
    const wallet = await BrowserWallet.install(page, bank.anvil, 1);
    await page.reload();
    const pay = panel.getByRole("button", { name: "Pay 1 USDC with your wallet" });
    await pay.waitFor();
    // A page that connects reads the channels again; this one must have read the old price.
    await page.locator(".connection[data-state=live]").waitFor({ state: "attached" });
    await page.waitForLoadState("networkidle");
    await ann.put(`/api/channels/${id}`, { price: { ...PRICE, amount: "3000000" } });
    await pay.click();
    await panel.getByText("The price is now 3 USDC. You haven't paid anything yet.").waitFor();
    expect(wallet.calls).toEqual([]);
    await panel.getByRole("button", { name: "Get a new price" }).click();
    await ann.put(`/api/channels/${id}`, { price: null });
    await panel.getByRole("button", { name: /with your wallet$/ }).click();
    await page.getByText(SECRET).waitFor();
    expect(wallet.calls).toEqual([]);
  });

  test("without a wallet the user pays elsewhere and submits the transaction, and wrong ones get reasons", async () => {
    await shop(PRICE);
    const [page, panel] = await visit(ben);
    await panel.getByRole("button", { name: "Pay another way" }).click();
    const field = (label: string) => panel.getByLabel(label, { exact: true });
    expect(await field("Send to").inputValue()).toBe(PLATFORM);
    // The price and the digits that belong to this challenge only.
    expect(await field("Amount in USDC").inputValue()).toMatch(/^1\.00(0[0-9]{1,4}|1)$/);
    expect(await field("Token").inputValue()).toBe(bank.usdc);
    expect(await axeProblems(page, "#conversation")).toEqual([]);
    const name = async (hash: string) => {
      await field("Transaction hash").fill(hash);
      await panel.getByRole("button", { name: "I have paid" }).click();
    };
    const refused: [string, string][] = [
      [await payToken(bank, 3, PLATFORM, 5n), "pays less than the price"],
      [await payToken(bank, 3, accountOf(5).address, 1_000_000n), "pays a different address"],
      ["0x12", "valid transaction hash"],
    ];
    await bank.anvil.mine(3);
    for (const [hash, words] of refused) {
      await name(hash);
      await panel.getByText(words).waitFor();
      expect(await axeProblems(page, "#conversation")).toEqual([]);
      await panel.getByRole("button", { name: "Submit another transaction" }).click();
    }
    await name(`0x${"ab".repeat(32)}`);
    await panel.getByText("The transaction isn't on the chain yet.").waitFor();
    await panel.getByRole("button", { name: "Submit another transaction" }).click();
    const good = await payToken(bank, 3, PLATFORM, 1_000_000n);
    await bank.anvil.mine(3);
    await name(good);
    await page.getByText(SECRET).waitFor();
  });

  test("if a hash alone is not accepted, the verified address in the profile identifies the payer", async () => {
    const strict = world.hold(await sellingServer(bank, {}, { evmConfirmations: 1, paymentAllowUnbound: false }));
    [ann, ben] = [await strict.user("ann"), await strict.user("ben")];
    await shop(PRICE);
    const [page, panel] = await visit(ben);
    await panel.getByRole("button", { name: "Pay another way" }).click();
    await panel.getByLabel("Send to", { exact: true }).waitFor();
    const hash = await payToken(bank, 4, PLATFORM, 1_000_000n);
    await panel.getByLabel("Transaction hash", { exact: true }).fill(hash);
    await panel.getByRole("button", { name: "I have paid" }).click();
    await panel.getByText("Verify the address you paid from in your profile").waitFor();
    await proveWallet(ben, "ben", evmWalletOf(accountOf(4)));
    await panel.getByRole("button", { name: "Try again" }).click();
    await page.getByText(SECRET).waitFor();
  });

  test("on Solana any wallet can pay: with a link, the reference, and the submitted signature", async () => {
    const scripted = world.hold(await ChainWorld.start());
    // The server's work on Solana has tests of its own; this chain answers what the test sets.
    const sol = { currency: "SOL", tokenAddress: null, decimals: 9 };
    const solana = Object.assign(new ScriptedChain(), { kind: "solana", chainId: 103, assets: [sol] });
    chainsOf(scripted.server.ctx).add(solana as unknown as Chain);
    const { body } = await scripted.ann.post("/api/channels", { name: "Shop" });
    const price = { amount: "20000000", currency: "SOL", chain_id: 103 };
    expect((await scripted.ann.put(`/api/channels/${body.channel_id}`, { price })).status).toBe(200);
    const [page, panel] = await visit(scripted.bob, { colorScheme: "dark" });
    await panel.getByText("Joining this channel costs 0.02 SOL on Solana devnet.").waitFor();
    await panel.getByRole("button", { name: "Pay another way" }).click();
    const reference = await panel.getByLabel("Reference", { exact: true }).inputValue();
    const link = await panel.getByRole("link", { name: "Open in a Solana wallet" }).getAttribute("href");
    const amount = /amount=(0\.02000[0-9]{1,4})&/.exec(link ?? "")?.[1];
    expect(link).toBe(`solana:${TREASURY}?amount=${amount}&reference=${reference}&label=Shop`);
    expect(await axeProblems(page, "#conversation")).toEqual([]);
    const transfers = [{ asset: sol, sender: "0xElse", recipient: TREASURY, amount: 20_000_000n }];
    const time = scripted.clock.now();
    const signature = solana.put({ state: "confirming", time, transfers, references: [reference] });
    await panel.getByLabel("Transaction signature").fill(signature);
    await panel.getByRole("button", { name: "I have paid" }).click();
    await panel.getByText("Waiting for confirmations").waitFor();
    solana.put({ state: "final", time, transfers, references: [reference] }, signature);
    await page.getByText("This is the start of").waitFor();
    expect((await scripted.bob.get(`/api/channels/${body.channel_id}`)).body.channel.my_role).toBe("member");
  });

  test("a guest sees the price, and the owner sets, changes and removes it", async () => {
    const id = await shop(COIN_PRICE);
    const [, told] = await visit(null);
    await told.getByText("0.001 ETH").waitFor();
    await told.getByRole("button", { name: "Log in" }).waitFor();
    const { page } = await world.open({ as: ann, at: "#/c/shop" });
    const price = async () => (await ann.get(`/api/channels/${id}`)).body.channel.price;
    const settings = page.getByRole("dialog", { name: "Settings for Shop" });
    const open = () => page.getByRole("button", { name: "Settings" }).click();
    const save = async () => {
      await settings.getByRole("button", { name: "Save" }).click();
      await settings.waitFor({ state: "detached" });
    };
    await open();
    // The list is read again while the form is open. An unchanged price that is no longer accepted is not sent.
    const isRead = page.waitForResponse(/\/api\/channels$/);
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await (await isRead).finished();
    const sent = page.waitForRequest((request) => request.method() === "PUT");
    await save();
    expect((await sent).postDataJSON()).not.toHaveProperty("price");
    await open();
    const amount = (unit: string) => settings.getByLabel(`Price (${unit})`, { exact: true });
    expect(await amount("ETH").inputValue()).toBe("0.001");
    await settings.getByLabel("Price to join").selectOption({ label: "USDC on EVM chain 31337" });
    await amount("USDC").fill("2.5000001");
    await settings.getByRole("button", { name: "Save" }).click();
    // The browser focuses the invalid field and shows the reason.
    expect(await page.evaluate("document.activeElement.validationMessage")).toContain("6 decimal places");
    expect(await axeProblems(page, "dialog")).toEqual([]);
    await amount("USDC").fill("2,50");
    await save();
    expect(await price()).toEqual({ ...PRICE, amount: "2500000" });
    await open();
    await settings.getByLabel("Price to join").selectOption({ label: "Free" });
    await save();
    expect(await price()).toBeNull();
  });
});

const paymentsOf = async (server: TestServer) => (await staff(server, "rosa", 2)).get("/api/admin/payments");
