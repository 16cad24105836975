import { describe, expect, test } from "bun:test";
import { temporaryFolder } from "../../server/test/support/config.ts";
import { newChannel } from "../../server/test/support/new-channel.ts";
import { logIn, startTestServer } from "../../server/test/support/servers/test-server.ts";
import { staff } from "../../server/test/support/staff.ts";
import { axeProblems } from "./support/axe.ts";
import { eachVisits } from "./support/browser-world.ts";
import { ChatVisit } from "./support/chat-visit.ts";

describe("the page of a server without payments and red packets", () => {
  // Reading the channel with a price is refused.
  const pages = eachVisits([503]);

  test("shows old red packets without opening them, and offers nothing that costs or pays", async () => {
    const dataDir = temporaryFolder();
    {
      await using former = await startTestServer({ dataDir });
      const ana = await staff(former, "ana", 2);
      await former.user("ben");
      const { id } = await newChannel(ana, { name: "club" });
      const price = JSON.stringify({ amount: "5", currency: "ETH", chain_id: 1 });
      await former.ctx.db.updateTable("channels").set({ price }).where("id", "=", id).execute();
      const packet = { channel_slug: "general", total_amount: "5", count: 1, greeting: "For everybody" };
      const { packet_id } = (await ana.post("/api/red-packets", packet)).body;
      expect((await ana.post(`/api/red-packets/${packet_id}/claim`)).status).toBe(200);
    }
    const server = pages.hold(await startTestServer({ dataDir, value: "off" }));
    const asked: string[] = [];
    const [ana, ben] = [await logIn(server.url, "ana"), await logIn(server.url, "ben")];
    const visit = await ChatVisit.open(pages.visits, server.url, { as: ana });
    const { page } = visit;
    page.on("request", (request) => void asked.push(new URL(request.url()).pathname));
    await page.getByText("For everybody").waitFor();
    await page.getByText("A red packet. It can't be opened here: this server no longer has red packets.").waitFor();
    await page.getByRole("button", { name: "Stickers" }).waitFor();
    expect(await page.getByRole("button", { name: "Send a red packet" }).count()).toBe(0);
    expect(await axeProblems(page)).toEqual([]);

    const profile = await visit.openWindow("ana", "Your profile");
    await profile.getByRole("tab", { name: "Security" }).waitFor();
    expect(await profile.getByRole("tab", { name: "Wallets" }).count()).toBe(0);
    await page.keyboard.press("Escape");
    const administration = await visit.openWindow("ana", "Administration");
    await administration.getByRole("tab", { name: "Audit" }).waitFor();
    for (const tab of ["For sale", "Payments", "Payouts"])
      expect(await administration.getByRole("tab", { name: tab, exact: true }).count()).toBe(0);
    await page.keyboard.press("Escape");

    const other = await ChatVisit.open(pages.visits, server.url, { as: ben, at: "#/c/club" });
    await other.page.getByText("This channel has a price, and this server doesn't take payments.").waitFor();
    expect(await axeProblems(other.page)).toEqual([]);

    // The owner can still make the channel free.
    await page.goto(`${server.url}/#/c/club`);
    await page.getByRole("button", { name: "Settings", exact: true }).click();
    const settings = page.getByRole("dialog", { name: "Settings for club" });
    await settings.getByLabel("Price to join").selectOption({ label: "Free" });
    await settings.getByRole("button", { name: "Save" }).click();
    await settings.waitFor({ state: "detached" });
    expect((await ben.get("/api/channels?channel_slug=club")).body.channels).toMatchObject([{ price: null }]);
    expect(asked.filter((path) => /red-packets|chains|paid|payments|payouts/.test(path))).toEqual([]);
  });
});
