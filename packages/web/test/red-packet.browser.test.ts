import { describe, expect, test } from "bun:test";
import { ChainWorld } from "../../server/test/support/chains/chain-world.ts";
import { TREASURY } from "../../server/test/support/chains/scripted-chain.ts";
import {
  type Client,
  logIn,
  PASSWORD,
  startTestServer,
  type TestServer,
} from "../../server/test/support/servers/test-server.ts";
import { axeProblems } from "./support/axe.ts";
import { eachVisits } from "./support/browser-world.ts";
import { ChatVisit } from "./support/chat-visit.ts";

describe("red packets in a browser", () => {
  const pages = eachVisits([400, 409, 422]);

  const open = (server: TestServer, as: Client, options = {}) =>
    ChatVisit.open(pages.visits, server.url, { as, ...options });

  async function make({ page }: ChatVisit, amount: string, count: string, split: string): Promise<void> {
    await page.getByRole("button", { name: "Send a red packet" }).click();
    const form = page.getByRole("dialog", { name: "New red packet" });
    await form.getByText("You have 100 points.").waitFor();
    await form.getByLabel("Amount").fill(amount);
    await form.getByLabel("Shares", { exact: true }).fill(count);
    await form.getByLabel("Split").selectOption({ label: split });
    await form.getByLabel("Greeting").fill("For <b>everybody</b>");
    expect(await axeProblems(page, "dialog")).toEqual([]);
    await form.getByRole("button", { name: "Send red packet" }).click();
    await form.waitFor({ state: "detached" });
  }

  test("one user makes a packet, two open it, and both see the outcome and check the split", async () => {
    const server = pages.hold(await startTestServer());
    const [ana, ben] = [await open(server, await server.user("ana")), await open(server, await server.user("ben"))];
    await make(ana, "20", "2", "Random");
    const [hers, his] = [ana.page.locator(".packet"), ben.page.locator(".packet")];
    await his.getByText("For <b>everybody</b>").waitFor();
    await his.getByText("2 of 2 left").waitFor();
    expect(await axeProblems(ben.page, ".packet")).toEqual([]);
    await his.getByRole("button", { name: "Open the red packet from ana" }).focus();
    await ben.page.keyboard.press("Enter");
    await his.getByText(/You got \d+ points?!/).waitFor();
    await hers.getByText("1 of 2 left").waitFor();
    await hers.getByRole("button", { name: "Details" }).click();
    const window = ana.page.getByRole("dialog", { name: "From ana" });
    await window.getByText("The seed is published when the packet closes").waitFor();
    await window.getByRole("listitem").filter({ hasText: "ben" }).waitFor();
    await ana.page.keyboard.press("Escape");
    await hers.getByRole("button", { name: "Open the red packet from ana" }).click();
    await hers.getByText(/You got/).waitFor();
    await his.getByText("0 of 2 left").waitFor();

    await his.getByRole("button", { name: "Details" }).click();
    const outcome = ben.page.getByRole("dialog", { name: "From ana" });
    await outcome.getByText("All opened").waitFor();
    expect(await outcome.getByText("luckiest").count()).toBe(1);
    await outcome.getByRole("button", { name: "Check the split" }).click();
    await outcome.getByText("As promised").waitFor();
    const shares = await outcome.locator(".worked-out li").allInnerTexts();
    const got = shares.map((text) => Number(/: (\d+)/.exec(text)?.[1]));
    expect(got.reduce((sum, share) => sum + share)).toBe(20);
    expect(await axeProblems(ben.page, "dialog")).toEqual([]);
  });

  test("an unopened packet can be taken back, and later viewers and guests see that", async () => {
    const server = pages.hold(await startTestServer());
    const ana = await open(server, await server.user("ana"), {
      colorScheme: "dark",
      viewport: { width: 360, height: 640 },
    });
    await make(ana, "7", "3", "Equal");
    const guest = await ChatVisit.open(pages.visits, server.url);
    await guest.page.getByRole("button", { name: "Log in to open it" }).waitFor();
    await ana.page.locator(".packet").getByRole("button", { name: "Details" }).click();
    await ana.page.getByRole("button", { name: "Take back" }).click();
    const sure = ana.page.getByRole("dialog", { name: "Red packet" });
    expect(await axeProblems(ana.page, "dialog")).toEqual([]);
    await sure.getByRole("button", { name: "Cancel" }).click();
    await ana.page.getByRole("button", { name: "Take back" }).click();
    await sure.getByRole("button", { name: "Take back" }).click();
    const window = ana.page.getByRole("dialog", { name: "From ana" });
    await window.getByText("Refunded 7 points to ana.").waitFor();
    expect(await window.getByRole("button", { name: "Take back" }).count()).toBe(0);
    expect(await axeProblems(ana.page, "dialog")).toEqual([]);
    await guest.page.locator(".packet").getByText("Taken back").waitFor();
    expect(await ana.page.evaluate("document.documentElement.scrollWidth")).toBe(360);
  });

  test("the profile and the form show an invited account how much it can spend while its points are on hold", async () => {
    const server = pages.hold(await startTestServer());
    const ana = await server.user("ana");
    const { invite_code } = (await ana.get("/api/user/ana")).body;
    const body = { username: "ben", password: PASSWORD, invite_code };
    expect((await server.guest.post("/api/auth/register", body)).status).toBe(201);
    const { packet_id } = (await ana.post("/api/red-packets", { channel_slug: "general", total_amount: "8", count: 1 }))
      .body;
    const ben = await logIn(server.url, "ben");
    expect((await ben.post(`/api/red-packets/${packet_id}/claim`, {})).status).toBe(200);
    const visit = await open(server, ben);
    const { page } = visit;
    const profile = await visit.openWindow("ben", "Your profile");
    await profile.getByText(/^You can spend 8 of your 108 points now, and the rest from .*\d/).waitFor();
    expect(await profile.getByText("to spend").count()).toBe(0);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Send a red packet" }).click();
    const form = page.getByRole("dialog", { name: "New red packet" });
    await form.getByText(/^You can spend 8 of your 108 points now, and the rest from .*\d/).waitFor();
    await form.getByLabel("Amount").fill("9");
    await form.getByLabel("Shares", { exact: true }).fill("1");
    await form.getByRole("button", { name: "Send red packet" }).click();
    await form.getByText("You can spend 8 points now.").waitFor();
    expect(await axeProblems(page, "dialog")).toEqual([]);
    await form.getByLabel("Amount").fill("8");
    await form.getByRole("button", { name: "Send red packet" }).click();
    await form.waitFor({ state: "detached" });
  });

  test("nothing is left to open when others were faster", async () => {
    const server = pages.hold(await startTestServer());
    const [ana, ben] = [await server.user("ana"), await server.user("ben")];
    const visit = await open(server, ben);
    const { body } = await ana.post("/api/red-packets", { channel_slug: "general", total_amount: "5", count: 1 });
    await visit.page.getByRole("button", { name: "Open the red packet from ana" }).waitFor();
    await ana.post(`/api/red-packets/${body.packet_id}/claim`);
    await visit.page.locator(".packet").getByText("All opened").waitFor();
  });

  test("an on-chain packet is funded by the browser's wallet or by a submitted transaction", async () => {
    const world = pages.hold(await ChainWorld.start());
    const hash = world.put({ state: "confirming" });
    const wallet = `window.ethereum = { calls: [], chain: "0x1", async request({ method, params }) {
      this.calls.push([method, params]);
      if (method === "eth_requestAccounts") return ["0xAnn"];
      if (method === "eth_chainId") return this.chain;
      if (method === "wallet_switchEthereumChain") this.chain = params[0].chainId;
      if (method === "eth_sendTransaction") return ${JSON.stringify(hash)};
      return null;
    } };`;
    const visit = await open(world.server, world.ann);
    const { page } = visit;
    await page.evaluate(wallet);
    await page.getByRole("button", { name: "Send a red packet" }).click();
    const form = page.getByRole("dialog", { name: "New red packet" });
    await form.getByLabel("Contents").selectOption({ label: "ETH on EVM chain 31337" });
    await form.getByLabel("Amount (ETH)").fill("0.000000000000000001");
    await form.getByLabel("Shares", { exact: true }).fill("3");
    await form.getByRole("button", { name: "Send red packet" }).click();
    await form.getByText("This amount is too small for that many shares.").waitFor();
    await form.getByLabel("Amount (ETH)").fill("0.000000000000003");
    await form.getByRole("button", { name: "Send red packet" }).click();
    await form.getByText("0.000000000000003 ETH per share and 0.000000000000009 ETH in total").waitFor();
    await form.getByLabel("Amount (ETH)").fill("0.000000000000009");
    await form.getByRole("button", { name: "Send red packet" }).click();
    const window = page.getByRole("dialog", { name: "From ann" });
    await window.getByRole("button", { name: "Pay another way" }).click();
    expect(await window.getByLabel("Send to", { exact: true }).inputValue()).toBe(TREASURY);
    expect(await window.getByLabel("Amount in ETH", { exact: true }).inputValue()).toBe("0.000000000000009");
    expect(await axeProblems(page, "dialog")).toEqual([]);
    await window.getByRole("button", { name: /^Pay .* with your wallet$/ }).click();
    await window.getByText("The transaction is being confirmed.").waitFor();
    const calls = (await page.evaluate("window.ethereum.calls")) as [string, { to: string; value: string }[]][];
    const sent = calls.find(([method]) => method === "eth_sendTransaction")?.[1][0];
    expect(sent).toMatchObject({ to: TREASURY, value: "0x2328", from: "0xAnn" });
    world.put({ state: "final" }, {}, hash);
    await world.wait();
    await window.getByRole("button", { name: /with your wallet/ }).waitFor({ state: "detached" });
    await window.locator(".packet-status").getByText("Open").waitFor();
    await page.keyboard.press("Escape");

    const { body } = await world.create();
    await page.getByRole("button", { name: "Details" }).nth(1).click();
    // Created elsewhere: the page still shows where to send the payment.
    await window.getByRole("button", { name: "Pay another way" }).click();
    await window.getByLabel("Transaction hash").fill(world.put({}, { amount: 1n }));
    await window.getByRole("button", { name: "Submit transaction" }).click();
    await window.getByText("is for a different amount").waitFor();
    await window.getByLabel("Transaction hash").fill(world.put());
    await window.getByRole("button", { name: "Submit transaction" }).click();
    await window.locator(".packet-status").getByText("Open").waitFor();
    expect((await world.read(body.packet_id)).red_packet.status).toBe("active");
  });
});
