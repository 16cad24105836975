import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { openImport } from "../../server/src/imports/open/open.ts";
import { writeImport } from "../../server/src/imports/write/write.ts";
import {
  memoryStage,
  sourceChannel,
  sourceMessage,
  sourceUser,
} from "../../server/test/support/imports/memory-stage.ts";
import { importPerson, linksOf, makeImport } from "../../server/test/support/imports/people.ts";
import { TestProvider } from "../../server/test/support/oidc-provider.ts";
import { PASSWORD, startTestServer } from "../../server/test/support/servers/test-server.ts";
import { staff } from "../../server/test/support/staff.ts";
import { axeProblems } from "./support/axe.ts";
import { eachServer, type ServerWorld } from "./support/browser-world.ts";

const SHOTS = process.env.PARLEY_TEST_SHOTS;
const NARROW = { viewport: { width: 320, height: 640 }, colorScheme: "dark" } as const;

/** Makes Nora's account in an import, and returns her link. */
async function norasLink({ server }: ServerWorld): Promise<string> {
  const importId = await makeImport(server.ctx, {
    counts: { messages: { taken: 1200, known: 0, changed: 0, left_out: 2 } },
    leftOut: [{ kind: "message", reason: "no_time", count: 2, examples: ["general/2024-03-01.json#7"] }],
  });
  await importPerson(server.ctx, importId, { username: "nora", displayName: "Nora Harbour", channels: [1] });
  await importPerson(server.ctx, importId, { username: "gone", email: "gone@example.org", isSuspended: true });
  return `${server.url}/claim-account#${(await linksOf(server.ctx, importId)).get("nora")}`;
}

describe("imported accounts in a browser", () => {
  const world = eachServer(() => startTestServer({ guestRead: false, registration: "closed" }), [400, 401, 410]);

  test("a person claims their account with a password, on a narrow dark page, by the keyboard", async () => {
    const link = await norasLink(world);
    const page = await world.visits.open(link, NARROW);
    const dialog = page.getByRole("dialog", { name: "Claim your account" });
    await dialog.getByText("Nora Harbour").waitFor();
    await dialog.getByText("#general").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/claim-account.png` });
    // The token is not in the address.
    expect(page.url()).toBe(`${world.server.url}/`);
    const hasFocus = async (element: Locator) => (await element.and(page.locator(":focus")).count()) === 1;
    const tabTo = async (element: Locator) => {
      for (let presses = 0; !(await hasFocus(element)); presses++) {
        if (presses > 20) throw new Error("Tab does not lead to the element.");
        await page.keyboard.press("Tab");
      }
    };
    const password = dialog.getByLabel("Password", { exact: true });
    await tabTo(password);
    await page.keyboard.type("short");
    await page.keyboard.press("Enter");
    await dialog.getByRole("alert").filter({ hasText: "password" }).waitFor();
    await tabTo(password);
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.type(PASSWORD);
    await tabTo(dialog.getByRole("button", { name: "Claim the account" }));
    await page.keyboard.press("Space");
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("heading", { name: "This is the start of #general." }).waitFor();

    const again = await world.visits.open(link);
    await again.getByText("This link no longer works.").waitFor();
    expect(await axeProblems(again)).toEqual([]);
  });

  test("the page speaks the languages of the person", async () => {
    const link = await norasLink(world);
    for (const [locale, title] of [
      ["es-ES", "Reclama tu cuenta"],
      ["zh-CN", "认领你的账号"],
    ] as const) {
      const page = await world.visits.open(link, { locale });
      await page.getByRole("dialog", { name: title }).getByText("Nora Harbour").waitFor();
    }
  });
});

describe("imports in the administration", () => {
  const world = eachServer();

  test("have their counts and progress, and list who has not come yet", async () => {
    const link = await norasLink(world);
    const rosa = await staff(world.server, "rosa", 2);
    for (const options of [{}, NARROW]) {
      const visit = await world.open({ as: rosa, ...options });
      const window = await visit.openWindow("rosa", "Administration");
      await window.getByRole("tab", { name: "Imports" }).click();
      await window.getByText("0 of 2 people have claimed their accounts.").waitFor();
      const counts = window.getByRole("list", { name: "Counts of Harbour" });
      expect(await counts.innerText()).toBe("Messages: 1,200 taken · 2 left out");
      await window.getByText("Left out: 2").click();
      await window.getByText("Messages: 2 no_time such as general/2024-03-01.json#7").waitFor();
      await window.getByText("gone@example.org · no link").waitFor();
      await window.getByText("suspended").waitFor();
      await window.getByText("Nora Harbour @nora has a link until").waitFor();
      expect(await axeProblems(visit.page)).toEqual([]);
      expect(await visit.page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
      if (SHOTS !== undefined)
        await visit.page.screenshot({ path: `${SHOTS}/imports-${"viewport" in options ? "narrow" : "wide"}.png` });
    }
    const writing = await makeImport(world.server.ctx, { status: "writing" });
    const token = link.split("#")[1];
    await world.server.guest.post("/api/auth/account-claim/password", { token, password: PASSWORD });
    const visit = await world.open({ as: rosa });
    const window = await visit.openWindow("rosa", "Administration");
    await window.getByRole("tab", { name: "Imports" }).focus();
    await visit.page.keyboard.press("Enter");
    await window.getByText("1 of 2 people have claimed their accounts.").waitFor();
    await window.getByText("0 % of the messages are written").waitFor();
    const { db } = world.server.ctx;
    await db.insertInto("import_blocks").values({ first_id: 1, last_id: 400, import_id: writing }).execute();
    await db.updateTable("imports").set({ place: 100 }).where("id", "=", writing).execute();
    await window.getByText("25 % of the messages are written").waitFor();
    await window.getByLabel("Import", { exact: true }).selectOption(`Harbour (${writing})`);
    await window.getByText("Everybody has claimed their account.").waitFor();
  });

  test("the card of a person says that nobody has claimed the account", async () => {
    await norasLink(world);
    const ann = await world.server.user("ann");
    await ann.post("/api/messages", { channel_slug: "general", content: "where is @nora?" });
    const visit = await world.open({ as: ann, at: "#/c/general" });
    await visit.page.getByRole("button", { name: "@nora" }).click();
    await visit.page.getByText("Hasn't claimed this account yet").waitFor();
    expect(await axeProblems(visit.page)).toEqual([]);
  });
});

describe("old links in a browser", () => {
  const world = eachServer(() => startTestServer(), [404]);

  test("a link that is pasted into the search opens the message, and another one is searched for", async () => {
    const { ctx } = world.server;
    const stage = memoryStage({
      users: [sourceUser("U1")],
      channels: [sourceChannel("C1", { name: "harbour" })],
      messages: [sourceMessage("C1/1577836800.000100", { at: 1577836800000, text: "The tide is high" })],
    });
    const { importId } = await writeImport(ctx, stage, { format: "slack", fingerprint: "f" });
    await openImport(ctx, importId);
    const { page } = await world.open({ as: await world.server.user("ana") });
    await page.getByRole("button", { name: "Search" }).click();
    const field = page.locator(".side").getByRole("searchbox");
    await field.fill("https://acme.slack.com/archives/C9/p1577836800000100");
    await field.press("Enter");
    await page.locator(".side").getByText("No results.").waitFor();
    await field.fill("https://acme.slack.com/archives/C1/p1577836800000100");
    await field.press("Enter");
    await page.getByRole("article").filter({ hasText: "The tide is high" }).first().waitFor();
    expect(page.url()).toMatch(/#\/c\/harbour\/\d+$/);
  });
});

describe("imported accounts and a single sign-on in a browser", () => {
  let provider: TestProvider;
  beforeAll(async () => {
    provider = await TestProvider.start();
  });
  afterAll(() => provider[Symbol.asyncDispose]());
  const world = eachServer(() => startTestServer(provider.settings({ oidcSignup: false, registration: "closed" })));

  test("a person claims their account with a login by the provider", async () => {
    const link = await norasLink(world);
    provider.account = { sub: "nora-at-work" };
    const page = await world.visits.open(link);
    const dialog = page.getByRole("dialog", { name: "Claim your account" });
    await dialog.getByText("or with a password").waitFor();
    expect(await axeProblems(page, "dialog")).toEqual([]);
    await dialog.getByRole("button", { name: "Continue with Example" }).click();
    await page.getByRole("heading", { name: "This is the start of #general." }).waitFor();
    const isExpected = (line: string) => line.startsWith(`asked for ${provider.issuer}/`);
    expect(world.visits.complaints().filter((line) => !isExpected(line))).toEqual([]);
  });
});
