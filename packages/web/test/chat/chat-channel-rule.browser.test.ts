import { describe, expect, test } from "bun:test";
import { asked, pressCard } from "../../../server/test/support/cards.ts";
import { newChannel } from "../../../server/test/support/new-channel.ts";
import { startTestServer } from "../../../server/test/support/servers/test-server.ts";
import { axeProblems } from "../support/axe.ts";
import { eachServer } from "../support/browser-world.ts";
import type { ChatVisit } from "../support/chat-visit.ts";

const SHOTS = process.env.PARLEY_TEST_SHOTS;
const NARROW = { viewport: { width: 320, height: 700 }, hasTouch: true, isMobile: true, colorScheme: "dark" } as const;

describe("a channel's rule for approvals, in a browser", () => {
  const world = eachServer(startTestServer, [403]);

  async function scene() {
    const [ann, bob, cat] = [
      await world.server.user("ann"),
      await world.server.user("bob"),
      await world.server.user("cat"),
    ];
    const { slug, id } = await newChannel(ann, {});
    for (const each of [bob, cat]) await each.post(`/api/channels/${id}/join`);
    expect((await ann.put(`/api/channels/${id}/members/bob`, { role: "admin" })).status).toBe(200);
    const agent = await world.server.agent("Shipper");
    const users = { who: { users: ["ann", "bob", "cat"] } };
    const ask = () => asked(agent, { channel_slug: slug, interaction: users });
    return { ann, bob, cat, slug, id, ask };
  }
  const cardIn = ({ page }: ChatVisit) => page.locator("#conversation .card").last();

  test("the owner sets it, on a narrow screen and by keyboard, and takes it back; admins don't see it", async () => {
    const { ann, bob, slug, id } = await scene();
    const rule = async () => (await ann.get(`/api/channels/${id}`)).body.channel.approval_rule;
    const { page } = await world.open({ as: ann, at: `#/c/${slug}`, ...NARROW });
    const dialog = page.getByRole("dialog", { name: /^Settings for/ });
    await page.getByRole("button", { name: "Settings" }).click();
    const role = dialog.getByLabel("Who may decide");
    await role.focus();
    await role.selectOption("admin");
    await dialog.getByLabel("How many must approve").fill("2");
    expect(await axeProblems(page, "dialog")).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    expect(
      await page.evaluate(
        "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('dialog'))",
      ),
    ).toBe(0);
    await dialog.getByLabel("How many must approve").scrollIntoViewIfNeeded();
    if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/rule.png` });
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    expect(await rule()).toEqual({ role: "admin", quorum: 2 });
    await page.getByRole("button", { name: "Settings" }).click();
    expect(await dialog.getByLabel("How many must approve").inputValue()).toBe("2");
    await role.selectOption("");
    await dialog.getByRole("button", { name: "Set rule" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await rule()).toBe(null);
    const admin = await world.open({ as: bob, at: `#/c/${slug}` });
    await admin.page.getByRole("button", { name: "Settings" }).click();
    await admin.page.getByRole("dialog").getByLabel("Name", { exact: true }).waitFor();
    expect(await admin.page.getByLabel("Who may decide").count()).toBe(0);
  });

  test("cards heed it: only those who may decide have buttons, and two must approve", async () => {
    const { ann, bob, cat, slug, id, ask } = await scene();
    const { interaction_id: card } = await ask();
    const [owner, member] = [
      await world.open({ as: ann, at: `#/c/${slug}` }),
      await world.open({ as: cat, at: `#/c/${slug}`, colorScheme: "dark" }),
    ];
    const deploy = (visit: ChatVisit) => cardIn(visit).getByRole("button", { name: "Deploy" });
    await deploy(member).waitFor();
    expect(await deploy(member).isDisabled()).toBe(false);
    // The rule counts at once for a card that is open.
    await ann.put(`/api/channels/${id}`, { approval_rule: { role: "admin", quorum: 2 } });
    await cardIn(member).getByText("You can't answer: here only people with a higher role").waitFor();
    await cardIn(member).getByText("Only admins of this channel and its owner decide.").waitFor();
    expect(await deploy(member).isDisabled()).toBe(true);
    expect(await axeProblems(member.page)).toEqual([]);
    if (SHOTS !== undefined) await member.page.screenshot({ path: `${SHOTS}/rule-card.png` });
    await cardIn(owner).getByText("0 of 2 approved").waitFor();
    await deploy(owner).click();
    await owner.page.getByRole("dialog").getByRole("button", { name: "Confirm" }).click();
    await cardIn(owner).getByText("1 of 2 approved: ann").waitFor();
    expect((await pressCard(cat, card, "approve")).body.code).toBe("not_allowed_to_answer");
    await pressCard(bob, card, "approve");
    await cardIn(member)
      .getByText(/^Approved · bob decided/)
      .waitFor();
    // Nobody has to have a role for a question of the kind `open`.
    const components = [{ type: "row", elements: [{ type: "button", action_id: "yes", label: "Count me in" }] }];
    const agent = await world.server.agent("Poller");
    await asked(agent, { channel_slug: slug, components, interaction: { kind: "open", who: { roles: ["member"] } } });
    const count = cardIn(member).getByRole("button", { name: "Count me in" });
    await count.waitFor();
    expect(await count.isDisabled()).toBe(false);
  });
});
