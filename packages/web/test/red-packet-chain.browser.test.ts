import { describe, expect, test } from "bun:test";
import type { Chain } from "../../server/src/chains/chain.ts";
import { chainsOf } from "../../server/src/chains/chains.ts";
import { Anvil, accountOf } from "../../server/test/support/chains/anvil.ts";
import { ChainWorld } from "../../server/test/support/chains/chain-world.ts";
import { evmSettings } from "../../server/test/support/chains/evm.ts";
import { TREASURY as ANVIL_TREASURY } from "../../server/test/support/chains/paying-server.ts";
import { ScriptedChain, TREASURY } from "../../server/test/support/chains/scripted-chain.ts";
import { eventually, startTestServer } from "../../server/test/support/servers/test-server.ts";
import { staff } from "../../server/test/support/staff.ts";
import { axeProblems } from "./support/axe.ts";
import { BrowserWallet } from "./support/browser-wallet.ts";
import { eachVisits } from "./support/browser-world.ts";
import { ChatVisit } from "./support/chat-visit.ts";

/** Decimals of the token, as in evmSettings. */
const USDC = 10n ** 6n;

describe("red packets on chains in a browser", () => {
  const pages = eachVisits([418, 422]);

  test("a packet in a token on a real chain is created, funded by the wallet, opened and paid out", async () => {
    await using anvil = await Anvil.start();
    const [sender, claimer] = [accountOf(1).address, accountOf(2).address];
    const usdc = await anvil.token("USDC", 6, [sender, ANVIL_TREASURY], 1_000n * USDC);
    await using server = await startTestServer({ rateLimits: "off", ...evmSettings(anvil.url, usdc) });
    const [ann, bob] = [await server.user("ann"), await server.user("bob")];
    const { page } = await ChatVisit.open(pages.visits, server.url, { as: ann });
    const wallet = await BrowserWallet.install(page, anvil, 1);
    await page.getByRole("button", { name: "Send a red packet" }).click();
    const form = page.getByRole("dialog", { name: "New red packet" });
    await form.getByLabel("Contents").selectOption({ label: "USDC on EVM chain 31337" });
    await form.getByLabel("Amount (USDC)").fill("2.5");
    await form.getByLabel("Shares", { exact: true }).fill("1");
    await form.getByLabel("Open for").selectOption({ label: "an hour" });
    expect(await axeProblems(page, "dialog")).toEqual([]);
    await form.getByRole("button", { name: "Send red packet" }).click();

    const hers = page.getByRole("dialog", { name: "From ann" });
    wallet.refusal = { method: "eth_sendTransaction", code: 4001, message: "User rejected the request." };
    await hers.getByRole("button", { name: "Pay 2.5 USDC with your wallet" }).click();
    await hers.getByText("You rejected the request in your wallet.").waitFor();
    await hers.getByRole("button", { name: "Pay 2.5 USDC with your wallet" }).click();
    await hers.getByText("The transaction is being confirmed.").waitFor();
    await anvil.mine(4);
    await hers.locator(".packet-status").getByText("Open", { exact: true }).waitFor({ timeout: 20_000 });

    const his = await ChatVisit.open(pages.visits, server.url, { as: bob, viewport: { width: 390, height: 760 } });
    const seal = his.page.getByRole("button", { name: "Open the red packet from ann" });
    await seal.click();
    await his.page.getByText("Verify its address in your profile first").waitFor();
    const profile = his.page.getByRole("dialog", { name: "Your profile" });
    await profile.getByLabel("EVM address").waitFor();
    // An address that is only stored, not verified, is not paid.
    expect((await bob.put("/api/user/bob", { evm_address: claimer })).status).toBe(200);
    await his.page.keyboard.press("Escape");
    await seal.click();
    await profile.getByText("not verified").waitFor();
    await profile.getByRole("button", { name: "Verify ownership: EVM address" }).click();
    const text = await profile.locator("pre.code").innerText();
    await profile.getByLabel("Signature", { exact: true }).fill(await accountOf(2).signMessage({ message: text }));
    await profile.getByRole("button", { name: "Submit signature" }).click();
    await profile.getByText("verified", { exact: true }).waitFor();
    await his.page.keyboard.press("Escape");
    await seal.click();
    await his.page.locator(".packet").getByText("You got 2.5 USDC!").waitFor();
    await his.page.getByRole("button", { name: "Details" }).click();
    const outcome = his.page.getByRole("dialog", { name: "From ann" });
    const share = outcome.getByRole("region", { name: "Your share" });
    await share.getByText("on its way").waitFor();
    expect(await share.getByLabel("Paid to", { exact: true }).inputValue()).toBe(claimer);
    expect(await share.getByLabel("Transaction hash", { exact: true }).inputValue()).toMatch(/^0x[0-9a-f]{64}$/);
    const reads: string[] = [];
    his.page.on("request", (request) => {
      if (request.url().includes("/api/red-packets")) reads.push(request.url());
    });
    await eventually(
      "the share is paid, which the page is told",
      async () => {
        await anvil.mine();
        return (await share.getByText(/· paid/).count()) === 1;
      },
      40_000,
    );
    expect(reads).toEqual([]);
    expect(await share.getByLabel("Transaction hash", { exact: true }).inputValue()).toMatch(/^0x[0-9a-f]{64}$/);
    expect(await axeProblems(his.page, "dialog")).toEqual([]);
    expect(await his.page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    await his.page.keyboard.press("Escape");

    const admin = await ChatVisit.open(pages.visits, server.url, {
      as: await staff(server, "rosa", 2),
      colorScheme: "dark",
    });
    await admin.openWindow("rosa", "Administration");
    await admin.page.getByRole("tab", { name: "Payouts" }).click();
    const payouts = admin.page.getByRole("list", { name: "Payouts" });
    await payouts.getByText("2.5 USDC").waitFor();
    await payouts.getByText("Paid", { exact: true }).waitFor();
    await payouts.getByText("Share on EVM chain 31337").waitFor();
    expect(await axeProblems(admin.page, "dialog")).toEqual([]);
    await admin.page.getByLabel("Show").selectOption({ label: "Failed" });
    await admin.page.getByText("No payouts.").waitFor();
    const { body } = await bob.get("/api/red-packets?channel_id=general");
    expect(body.red_packets[0]).toMatchObject({ total_amount: "2500000", currency: "USDC", token_address: usdc });
    // Close the pages before the server, or they would reconnect to it.
    await pages.visits.leave();
  });

  test("a transaction that the wallet has sent is not lost if the page closes before it is submitted", async () => {
    await using anvil = await Anvil.start();
    await using server = await startTestServer({ rateLimits: "off", ...evmSettings(anvil.url) });
    const { page } = await ChatVisit.open(pages.visits, server.url, { as: await server.user("ann") });
    const wallet = await BrowserWallet.install(page, anvil, 1);
    await page.getByRole("button", { name: "Send a red packet" }).click();
    const form = page.getByRole("dialog", { name: "New red packet" });
    await form.getByLabel("Contents").selectOption({ label: "ETH on EVM chain 31337" });
    await form.getByLabel("Amount (ETH)").fill("0.5");
    await form.getByRole("button", { name: "Send red packet" }).click();
    const window = page.getByRole("dialog", { name: "From ann" });
    // The server does not hear of it, as if the network broke after the wallet has sent.
    await page.route("**/fund", (route) => route.fulfill({ status: 418, body: "" }));
    await window.getByRole("button", { name: "Pay 0.5 ETH with your wallet" }).click();
    await window.locator(".error", { hasText: "418" }).waitFor();
    await page.unroute("**/fund");
    await page.reload();
    await page.getByRole("button", { name: "Details" }).click();
    const field = window.getByLabel("Transaction hash", { exact: true });
    expect(await field.inputValue()).toMatch(/^0x[0-9a-f]{64}$/);
    await window.getByRole("button", { name: "Submit transaction" }).click();
    await window.getByText("The transaction is being confirmed.").waitFor();
    await anvil.mine(4);
    await window.locator(".packet-status").getByText("Open", { exact: true }).waitFor({ timeout: 20_000 });
    expect(wallet.methods().filter((method) => method === "eth_sendTransaction")).toHaveLength(1);
    await pages.visits.leave();
  });

  test("on Solana any wallet can fund a packet: with a link, the reference, and the pasted signature", async () => {
    await using world = await ChainWorld.start();
    // The server's work on Solana has tests of its own; this chain answers what the test sets.
    const sol = { currency: "SOL", tokenAddress: null, decimals: 9 };
    const solana = Object.assign(new ScriptedChain(), { kind: "solana", chainId: 103, assets: [sol] });
    chainsOf(world.server.ctx).add(solana as unknown as Chain);
    const { page } = await ChatVisit.open(pages.visits, world.server.url, { as: world.ann, colorScheme: "dark" });
    await page.getByRole("button", { name: "Send a red packet" }).click();
    const form = page.getByRole("dialog", { name: "New red packet" });
    await form.getByLabel("Contents").selectOption({ label: "SOL on Solana devnet" });
    await form.getByLabel("Amount (SOL)").fill("0.5");
    await form.getByRole("button", { name: "Send red packet" }).click();
    const window = page.getByRole("dialog", { name: "From ann" });
    const field = (label: string) => window.getByLabel(label, { exact: true });
    expect(await field("Send to").inputValue()).toBe(TREASURY);
    expect(await field("Amount in SOL").inputValue()).toBe("0.5");
    const reference = await field("Reference").inputValue();
    const link = new URL(
      (await window.getByRole("link", { name: "Open in a Solana wallet" }).getAttribute("href")) ?? "",
    );
    expect(link.href).toStartWith(`solana:${TREASURY}?`);
    expect(Object.fromEntries(link.searchParams)).toEqual({ amount: "0.5", reference, label: "Red packet" });
    expect(await axeProblems(page, "dialog")).toEqual([]);
    const transfers = [{ asset: sol, sender: "0xElse", recipient: TREASURY, amount: 500_000_000n }];
    const paid = (references: string[]) =>
      solana.put({ state: "final", time: world.clock.now(), transfers, references });
    const name = async (signature: string) => {
      await field("Transaction signature").fill(signature);
      await window.getByRole("button", { name: "Submit transaction" }).click();
    };
    await name(paid([]));
    await window.getByText("has no reference and wasn't sent from an address that you verified").waitFor();
    await name(paid([reference]));
    await window.locator(".packet-status").getByText("Open", { exact: true }).waitFor();
  });
});
