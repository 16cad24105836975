import { beforeEach, describe, expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { asked, pressCard } from "../../../server/test/support/cards.ts";
import { type Client, eventually, startTestServer } from "../../../server/test/support/servers/test-server.ts";
import { axeProblems } from "../support/axe.ts";
import { eachServer } from "../support/browser-world.ts";
import type { ChatVisit } from "../support/chat-visit.ts";
import { PHONE } from "../support/touch.ts";

describe("cards in a browser", () => {
  const world = eachServer(startTestServer, [403]);
  let ana: Client;
  let ben: Client;
  let agent: Client;

  beforeEach(async () => {
    [ana, ben] = [await world.server.user("ana"), await world.server.user("ben")];
    agent = await world.server.agent("Shipper");
  });

  const both = { who: { users: ["ana", "ben"] }, quorum: 2 };
  const cardIn = ({ page }: ChatVisit, place = "#conversation"): Locator => page.locator(`${place} .card`).last();

  test("two people approve: a confirmation, the votes, the result, and nobody else can press", async () => {
    const { interaction_id: id } = await asked(agent, { interaction: both });
    const visit = await world.open({ as: ana });
    const card = cardIn(visit);
    await card.getByText(/^Asks ana, ben, until /).waitFor();
    expect(await axeProblems(visit.page)).toEqual([]);
    // With the keyboard alone.
    await card.getByRole("button", { name: "Deploy" }).focus();
    await visit.page.keyboard.press("Enter");
    const dialog = visit.page.getByRole("dialog");
    await dialog.getByText("Deploy 2.4 now?").waitFor();
    await dialog.getByRole("button", { name: "Confirm" }).click();
    await card.getByText("1 of 2 approved: ana").waitFor();
    if (process.env.PARLEY_SHOTS) await visit.page.screenshot({ path: `${process.env.PARLEY_SHOTS}/votes.png` });
    await pressCard(ben, id, "approve");
    await card.getByText(/^Approved · ben decided/).waitFor();
    expect(await card.getByRole("button", { name: "Not now" }).isDisabled()).toBe(true);
    expect(await axeProblems(visit.page)).toEqual([]);
    await visit.page.reload();
    await cardIn(visit)
      .getByText(/^Approved · ben decided/)
      .waitFor();
  });

  test("people who are not asked, and guests, see why they cannot answer", async () => {
    await asked(agent, { interaction: { who: { users: ["ana"] } } });
    const visit = await world.open({ as: ben, colorScheme: "dark", ...PHONE });
    const button = cardIn(visit).getByRole("button", { name: "Not now" });
    await cardIn(visit).getByText("You can't answer: this question is for others.").waitFor();
    expect(await button.isDisabled()).toBe(true);
    const described = await button.getAttribute("aria-describedby");
    expect(await visit.page.locator(`[id="${described}"]`).textContent()).toContain("for others");
    if (process.env.PARLEY_SHOTS) await visit.page.screenshot({ path: `${process.env.PARLEY_SHOTS}/phone.png` });
    const width = await visit.page.evaluate("document.documentElement.scrollWidth - innerWidth");
    expect(width).toBeLessThanOrEqual(0);
  });

  test("an answer from the thread panel counts, and a refusal is shown beside the card", async () => {
    const components = [
      {
        type: "row",
        elements: [
          {
            type: "select",
            action_id: "size",
            placeholder: "Size",
            options: [
              { label: "Small", value: "s" },
              { label: "Large", value: "l" },
            ],
          },
          { type: "link", label: "Sizes", url: "https://example.org/sizes" },
        ],
      },
    ];
    const interaction = { kind: "choice", who: { roles: ["member"] } };
    const { interaction_id: id } = await asked(agent, { components, interaction });
    const visit = await world.open({ as: ana, at: `#/c/general/t/${id}` });
    const panel = visit.page.getByRole("complementary", { name: "Thread", exact: true });
    const card = panel.locator(".card");
    expect(await card.getByRole("link", { name: "Sizes" }).getAttribute("rel")).toContain("noopener");
    await card.getByLabel("Size").selectOption("l");
    await card.getByRole("button", { name: "Send" }).click();
    await card.getByText(/^ana chose Large/).waitFor();
    await cardIn(visit)
      .getByText(/^ana chose Large/)
      .waitFor();

    await asked(agent, { interaction: { kind: "approval", who: { owner: true, users: ["ben"] } } });
    const other = cardIn(visit);
    const refusal = other.getByText("This question is for other people.");
    // The list may draw the row anew while it settles; a refused press can be repeated.
    await eventually("the refusal is shown", async () => {
      if (!(await refusal.isVisible())) await other.getByRole("button", { name: "Not now" }).click();
      return refusal.isVisible();
    });
  });

  test("a card names labels, counts, shows one's own answer, and never asks in red to approve", async () => {
    const button = (action_id: string, label: string, style = "default") => ({
      type: "button",
      action_id,
      label,
      style,
    });
    const elements = [button("p", "Pizza"), button("s", "Sushi")];
    const components = [{ type: "row", elements }];
    const { interaction_id: id } = await asked(agent, {
      components,
      interaction: { kind: "open", who: { roles: ["member"] } },
    });
    await pressCard(ben, id, "p");
    const visit = await world.open({ as: ana });
    await cardIn(visit).getByText("1 answer · Pizza: 1").waitFor();
    await cardIn(visit).getByRole("button", { name: "Pizza" }).click();
    await cardIn(visit).getByText("2 answers · Pizza: 2").waitFor();
    await cardIn(visit).getByText("Your answer: Pizza").waitFor();
    expect(await cardIn(visit).getByRole("button", { name: "Pizza" }).getAttribute("data-chosen")).toBe("");

    const red = [{ type: "row", elements: [button("approve", "Go", "danger"), button("deny", "No", "danger")] }];
    await asked(agent, { components: red, interaction: { who: { users: ["ana"] } } });
    const colour = (name: string) =>
      visit.page.evaluate(
        `getComputedStyle([...document.querySelectorAll(".card button")].find((it) => it.textContent === "${name}")).backgroundColor`,
      );
    await cardIn(visit).getByRole("button", { name: "Go" }).waitFor();
    expect(await colour("Go")).not.toBe(await colour("No"));
  });

  test("the receipt of a decision can be seen and saved", async () => {
    const { interaction_id: id } = await asked(agent, { interaction: { who: { users: ["ana"] } } });
    await pressCard(ana, id, "approve");
    const visit = await world.open({ as: ben });
    await cardIn(visit).getByText("Receipt", { exact: true }).click();
    await cardIn(visit).getByText("parley.decision.v1").waitFor();
    expect(await axeProblems(visit.page)).toEqual([]);
    const saved = visit.page.waitForEvent("download");
    await cardIn(visit).getByRole("button", { name: "Save the receipt" }).click();
    const file = JSON.parse(await Bun.file(await (await saved).path()).text());
    expect(file).toEqual((await ana.get(`/api/interactions/${id}`)).body.receipt);
  });
});
