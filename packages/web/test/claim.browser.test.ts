import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { CODE_SECONDS } from "@parley/protocol/limits";
import type { Page } from "playwright-core";
import { systemClock } from "../../server/src/clock.ts";
import { ClaimWorld } from "../../server/test/support/browser/claim-walk.ts";
import { PASSWORD } from "../../server/test/support/servers/test-server.ts";
import { eachVisits } from "./support/browser-world.ts";
import { ClaimVisit } from "./support/claim-visit.ts";
import type { Visits } from "./support/visits.ts";

const CLIPBOARD = { permissions: ["clipboard-read", "clipboard-write"] };

describe("claiming a key in a browser", () => {
  let passed = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + passed };
  const pages = eachVisits();
  let world: ClaimWorld;

  beforeAll(async () => {
    world = await ClaimWorld.start({ claimStrict: true }, { clock });
  });
  afterAll(() => world[Symbol.asyncDispose]());
  afterEach(() => {
    passed = 0;
  });

  let people = 0;
  const someone = () => `person${++people}.example.com`;
  const open = (...rest: Parameters<typeof ClaimVisit.open> extends [Visits, ClaimWorld, ...infer R] ? R : never) =>
    ClaimVisit.open(pages.visits, world, ...rest);
  const says = (page: Page, text: string) => page.getByRole("alert").getByText(text).waitFor();
  const works = async (key: string) => (await world.withKey(key).get("/api/agenthub/mentions")).status === 200;
  /** The browser itself logs every refusal; nothing else may be logged. */
  const refusals = () =>
    pages.visits
      .complaints()
      .map((line) => Number(/^Failed to load resource:.* status of (\d{3})\b/.exec(line)?.[1] ?? Number.NaN));
  const clipboard = (page: Page) => page.evaluate("navigator.clipboard.readText()");

  test.each(["bluesky", "x", "mastodon"] as const)(
    "a post on %s gives a key, which exists only in the page",
    async (network) => {
      const visit = await open(CLIPBOARD);
      const { page } = visit;
      const said: string[] = [];
      page.on("console", (message) => said.push(message.text()));
      const code = await visit.code();
      expect(await page.locator("#left").innerText()).toMatch(/^(30:00|29:5\d) left$/);
      await page.getByRole("button", { name: "Copy the text" }).click();
      await page.getByRole("status").getByText("Copied.").waitFor();
      expect(await clipboard(page)).toContain(code);
      expect(await clipboard(page)).toBe(await page.locator("#template").innerText());
      const handle = network === "bluesky" ? someone() : `person${++people}`;
      await visit.show(await visit.post(handle, { network }));
      const key = await visit.key();
      expect(await works(key)).toBe(true);
      expect(await page.locator("#facts").innerText()).toMatch(
        new RegExp(`${handle}.* on (X|Bluesky|Mastodon)[^]*anon_.*no one can log in`),
      );
      await page.getByRole("button", { name: "Copy the key" }).click();
      // Only one button says so: the earlier confirmation is hidden.
      await page.getByRole("button", { name: "Copied" }).waitFor();
      expect(await clipboard(page)).toBe(key);

      expect(page.url()).toBe(`${world.server.url}/claim`);
      expect(
        await page.evaluate("JSON.stringify([localStorage, sessionStorage, document.cookie, history.state])"),
      ).toBe('[{},{},"",null]');
      expect(JSON.stringify(await page.context().storageState({ indexedDB: true }))).not.toContain(key);
      expect(said.join()).not.toContain(key);
      // Browsers restore form fields from disk.
      expect(
        await page.evaluate("[...document.querySelectorAll('input, textarea')].map((field) => field.value).join()"),
      ).not.toContain("ply_");
    },
  );

  test("the page links to the networks of this server, prepared to write the post", async () => {
    const visit = await open();
    await visit.code();
    const text = await visit.page.locator("#template").innerText();
    const found = visit.page.evaluate(
      "[...document.querySelectorAll('#compose a')].map((a) => [a.href, a.target, a.rel])",
    );
    const links = ["https://x.com/intent/post", "https://bsky.app/intent/compose", "https://mastodon.local/share"];
    expect(await found).toEqual(
      links.map((link) => [`${link}?text=${encodeURIComponent(text)}`, "_blank", "noopener noreferrer"]),
    );
  });

  test("a wrong URL, another's post and one without the code each show an error, and the right one works", async () => {
    const visit = await open();
    const { page } = visit;
    const code = await visit.code();
    await visit.show("");
    await says(page, "Paste the URL");
    await visit.show("https://example.com/me");
    await says(page, "This isn’t the URL of a post");
    expect(await page.evaluate("[document.activeElement.id, document.activeElement.ariaInvalid]")).toEqual([
      "address",
      "true",
    ]);
    await visit.show("https://bsky.app/profile/nobody.example.com/post/3kabcdefghijk");
    await says(page, "doesn’t exist, or it isn’t public");
    await visit.show(await visit.post(someone(), { text: "good morning" }));
    await says(page, "doesn’t contain the code");
    await visit.show(await visit.post("reposter", { network: "x", kind: "repost" }));
    await says(page, "is a repost of someone else");
    await visit.show(await visit.post(someone(), { kind: "reply" }));
    await says(page, "is a reply or a quote");
    await visit.show(await visit.post(someone(), { text: `My code is ${code}` }));
    await says(page, "doesn’t contain the whole text");
    await visit.code("Another code");
    await visit.show(await visit.post(someone(), { createdAt: clock.now() - 60_000 }));
    await says(page, "older than the code");
    world.posts.failing = 400;
    await visit.show(await visit.post(someone()));
    await says(page, "The network didn’t return the post");
    world.posts.failing = null;
    await visit.show(await visit.post(someone()));
    expect(await works(await visit.key())).toBe(true);
    expect(refusals()).toEqual([400, 404, 422, 422, 422, 422, 422, 502]);
  });

  test("an expired code is crossed out, and one press gets another", async () => {
    const visit = await open({}, (page) => page.clock.install());
    const { page } = visit;
    const first = await visit.code();
    await page.clock.runFor(60_000);
    expect(await page.locator("#left").innerText()).toMatch(/^2[89]:\d\d left$/);
    await page.clock.fastForward((CODE_SECONDS - 60) * 1_000);
    await says(page, "This code has expired");
    expect(await page.locator("#left").innerText()).toBe("expired");
    expect(await page.getByLabel("URL of your post").isVisible()).toBe(false);
    expect(await visit.code("Get a new code")).not.toBe(first);
    await visit.show(await visit.post(someone()));
    expect(await works(await visit.key())).toBe(true);
  });

  test("the server reports an expired code even if its clock is ahead", async () => {
    const visit = await open();
    const { page } = visit;
    const first = await visit.code();
    passed = CODE_SECONDS * 1_000;
    await visit.show(await visit.post(someone()));
    await says(page, "This code has expired");
    expect(await page.evaluate("document.activeElement.id")).toBe("remedy");
    passed = 0;
    await page.keyboard.press("Enter");
    expect(await visit.newCode(first)).not.toBe(first);
    expect(await page.getByLabel("URL of your post").inputValue()).toBe("");
    expect(refusals()).toEqual([410]);
  });

  test("a code stays valid for the page when another window fetches one, because the page keeps its token", async () => {
    const visit = await open();
    await visit.code();
    const address = await visit.post(someone());
    await visit.page.context().request.get(`${world.server.url}/api/agenthub/agent-api-key/verification-code`);
    await visit.show(address);
    expect(await works(await visit.key())).toBe(true);
  });

  test("an account that has claimed is offered a new key, which ends the old one", async () => {
    const handle = someone();
    const old = await world.claim(handle);
    const visit = await open();
    await visit.code();
    await visit.show(await visit.post(handle));
    await says(visit.page, "This account has already claimed its key");
    await visit.recover();
    await visit.page.getByText(`This code replaces the key of agent number ${old.agentId}.`).waitFor();
    expect(await visit.page.locator("#owner").isVisible()).toBe(false);
    await visit.show(await visit.post(handle));
    const key = await visit.key();
    await visit.page.getByText("This agent’s earlier keys no longer work.").waitFor();
    expect(await works(key)).toBe(true);
    expect(await works(old.apiKey)).toBe(false);
    expect(await visit.page.locator("#facts").innerText()).toContain(`number ${old.agentId}`);
    expect(refusals()).toEqual([409]);
  });

  test("a lost key is replaced by the agent's name, with a sentence of its own", async () => {
    const handle = someone();
    const agent = await world.claim(handle);
    await agent.post("/api/agenthub/login", { channel_slug: "general", agent_name: "Lost Bot" });
    const visit = await open();
    const { page } = visit;
    await page.getByText("Lost a key?").click();
    const ask = page.getByRole("button", { name: "Get a code that replaces the key" });
    await ask.click();
    await says(page, "Enter the agent’s name.");
    await page.getByLabel("Agent name").fill("Nobody");
    await ask.click();
    await says(page, "No agent has this name.");
    await page.getByLabel("Agent name").fill("lost bot");
    await ask.click();
    await page.locator("#code-box:focus").waitFor();
    expect(await page.locator("#template").innerText()).toContain("Agent: Lost Bot;");
    await visit.show(await visit.post(someone()));
    await says(page, "This account hasn’t claimed a key yet");
    const other = someone();
    await world.claim(other);
    await visit.show(await visit.post(other));
    await says(page, "This account didn’t claim the agent");
    expect(await page.evaluate("document.activeElement.id")).toBe("agent-name");
    await visit.show(await visit.post(handle));
    expect(await works(await visit.key())).toBe(true);
    expect(await works(agent.apiKey)).toBe(false);
    expect(refusals()).toEqual([404, 404, 422]);
  });

  test("after a lost response the code is used, and a new one leads to a new key", async () => {
    const handle = someone();
    const visit = await open();
    const { page } = visit;
    const first = await visit.code();
    await page.route("**/verify-tweet", async (route) => {
      const request = route.request();
      // Not route.fetch(), because the browser would receive the cookie.
      await fetch(request.url(), { method: "POST", headers: await request.allHeaders(), body: request.postData() });
      await route.abort();
    });
    const address = await visit.post(handle);
    await visit.show(address);
    await says(page, "The server didn’t respond. Try again");
    await page.unroute("**/verify-tweet");
    await visit.show(address);
    await says(page, "This code has already been used");
    await page.locator("#remedy").click();
    await visit.newCode(first);
    await visit.show(await visit.post(handle));
    await visit.recover();
    await visit.show(await visit.post(handle));
    expect(await works(await visit.key())).toBe(true);
    pages.visits.complaints();
  });

  test("a logged-in user sees that the agent will be theirs, and it is", async () => {
    await world.server.user("ann");
    const visit = await open({}, async (page) => {
      const data = { username: "ann", password: PASSWORD };
      expect((await page.context().request.post(`${world.server.url}/api/auth/login`, { data })).ok()).toBe(true);
    });
    await visit.page.getByText("You’re logged in as ann, so the agent will be yours.").waitFor();
    await visit.claim(someone());
    expect(await visit.page.locator("dd").nth(1).innerText()).toBe("ann");
  });

  test("a user can be named as the owner, and an unknown user is reported", async () => {
    await world.server.user("Bob");
    const visit = await open();
    const { page } = visit;
    await visit.code();
    await page.getByText("Name a user as the owner").click();
    await page.getByLabel("Username").fill("nobody");
    const address = await visit.post(someone());
    await visit.show(address);
    await says(page, "No user has this name");
    expect(await page.evaluate("document.activeElement.id")).toBe("owner-name");
    await page.getByLabel("Username").fill("bob");
    await visit.show(address);
    await visit.key();
    expect(await page.locator("dd").nth(1).innerText()).toBe("Bob (by name only)");
    expect(refusals()).toEqual([404]);
  });
});
