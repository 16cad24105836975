import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import {
  type Bank,
  challengeFor,
  openBank,
  PLATFORM,
  payToken,
  present,
  sellingServer,
} from "../../server/test/support/chains/payment-world.ts";
import type { Client } from "../../server/test/support/servers/test-server.ts";
import { staff } from "../../server/test/support/staff.ts";
import { axeProblems } from "./support/axe.ts";
import { eachServer } from "./support/browser-world.ts";

describe("sales and payments in an administrator's browser", () => {
  let bank: Bank;
  const world = eachServer(() => sellingServer(bank), [400, 409]);
  let rosa: Client;
  let ben: Client;

  beforeAll(async () => {
    bank = await openBank();
  }, 60_000);
  afterAll(() => bank[Symbol.asyncDispose]());
  beforeEach(async () => {
    [rosa, ben] = [await staff(world.server, "rosa", 2), await world.server.user("ben")];
  });

  async function open(tab: string, options = {}): Promise<Locator> {
    const visit = await world.open({ as: rosa, ...options });
    const dialog = await visit.openWindow("rosa", "Administration");
    await dialog.getByRole("tab", { name: tab, exact: true }).click();
    return dialog;
  }

  test("a text, JSON and a file are added for sale and removed, on a phone", async () => {
    const dialog = await open("For sale", { viewport: { width: 390, height: 760 }, colorScheme: "dark" });
    const page = dialog.page();
    await dialog.getByText("Nothing for sale yet.").waitFor();
    const form = page.getByRole("dialog", { name: "Add an item for sale" });
    const sell = form.getByRole("button", { name: "Add an item for sale" });
    const begin = async (slug: string) => {
      await dialog.getByRole("button", { name: "Add an item for sale" }).click();
      await form.getByLabel("Name in the URL").fill(slug);
    };
    await begin("poem");
    await form.getByLabel("Content").fill("<b>roses</b>");
    await form.getByLabel("Price (ETH)").fill("0.5");
    await form.getByLabel("Chain").selectOption({ label: "USDC on EVM chain 31337" });
    await form.getByLabel("Price (USDC)").fill("0.25");
    expect(await axeProblems(page, "dialog")).toEqual([]);
    await sell.click();
    await form.waitFor({ state: "detached" });
    await dialog.getByText("0.25 USDC on EVM chain 31337").waitFor();

    await begin("poem");
    await form.getByLabel("Type", { exact: true }).selectOption({ label: "JSON" });
    await form.getByLabel("Content").fill("{ not json");
    await form.getByLabel("Price (ETH)").fill("1");
    await sell.click();
    await form.getByText("This isn't valid JSON.").waitFor();
    await form.getByLabel("Content").fill('{ "answer": 42 }');
    await sell.click();
    await form.locator(".error", { hasText: /name|slug|exists/i }).waitFor();
    await form.getByLabel("Name in the URL").fill("answer");
    await sell.click();
    await form.waitFor({ state: "detached" });

    await begin("bytes");
    await form.getByLabel("Type", { exact: true }).selectOption({ label: "File" });
    const buffer = Buffer.from([0, 1, 2, 255]);
    await form.getByLabel("Content").setInputFiles({ name: "x.png", mimeType: "image/png", buffer });
    await form.getByLabel("Price (ETH)").fill("0.000000000000000001");
    await sell.click();
    await form.waitFor({ state: "detached" });
    const picture = dialog.locator(".card", { hasText: "image/png" });
    await picture.getByText("image/png, 4 bytes").waitFor();
    expect(await axeProblems(page, "dialog")).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);

    const { body } = await rosa.get("/api/admin/paid");
    const sold = Object.fromEntries(body.resources.map((each: { slug: string }) => [each.slug, each]));
    expect(sold).toMatchObject({
      poem: { price: { amount: "250000", currency: "USDC" }, media_type: "text/plain; charset=utf-8" },
      answer: { price: { amount: "1000000000000000000", currency: "ETH" }, media_type: "application/json" },
      bytes: { price: { amount: "1", currency: "ETH" }, size_bytes: 4 },
    });
    await dialog.getByRole("button", { name: "Remove from sale: bytes" }).click();
    const sure = page.getByRole("dialog", { name: "bytes", exact: true });
    await sure.getByRole("button", { name: "Remove from sale" }).click();
    await picture.waitFor({ state: "detached" });
    expect((await rosa.get("/api/admin/paid")).body.resources).toHaveLength(2);
  });

  test("payments are totalled and filtered by state, user and hash, and refusals have reasons", async () => {
    const price = { amount: "1500000", currency: "USDC", chain_id: 31_337 };
    expect((await rosa.post("/api/admin/paid", { slug: "report", price, text: "It is fine." })).status).toBe(201);
    const pay = async (who: Client, amount: bigint) => {
      const { paymentId } = await challengeFor(who, "/api/paid/report");
      const txHash = await payToken(bank, 1, PLATFORM, amount);
      return [(await present(who, "/api/paid/report", { txHash, paymentId })).status, txHash] as const;
    };
    const ann = await world.server.user("ann");
    const [granted, good] = await pay(ben, 1_750_000n);
    const [refused] = await pay(ann, 5n);
    expect([granted, refused]).toEqual([200, 402]);
    const dialog = await open("Payments");
    const totals = dialog.getByRole("region", { name: "Total received" });
    await totals.getByText("1.75 USDC").waitFor();
    await totals.getByText("1 payment on EVM chain 31337").waitFor();
    const list = dialog.getByRole("list", { name: "Payments" });
    await list.getByText("This transaction pays less than the price.").waitFor();
    await list.getByText("the price was 1.5 USDC").waitFor();
    expect(await list.getByRole("listitem").count()).toBe(2);
    expect(await axeProblems(dialog.page(), "dialog")).toEqual([]);
    const only = async (text: string) => {
      await list.getByText(text).waitFor();
      await list.getByRole("listitem").nth(1).waitFor({ state: "detached" });
    };
    await dialog.getByLabel("Show").selectOption({ label: "Refused" });
    await only("by ann");
    await dialog.getByLabel("Show").selectOption({ label: "All" });
    await list.getByText("by ben").waitFor();
    await dialog.getByLabel("Submitted by").fill("ben");
    await only("by ben");
    await dialog.getByLabel("Submitted by").fill("");
    await dialog.getByLabel("Transaction hash").fill(good);
    await only(good);
  });
});
