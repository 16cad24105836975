import { describe, expect, test } from "bun:test";
import { issueKey } from "../../../server/src/agents/keys/keys.ts";
import { newChannel } from "../../../server/test/support/new-channel.ts";
import { startTestServer } from "../../../server/test/support/servers/test-server.ts";
import { axeProblems } from "../support/axe.ts";
import { eachServer } from "../support/browser-world.ts";

const SHOTS = process.env.PARLEY_TEST_SHOTS;
const NARROW = { viewport: { width: 320, height: 640 }, colorScheme: "dark" } as const;
const LINE = "#conversation .absent-mentions";

describe("mentions of people who cannot read the channel", () => {
  const world = eachServer();

  async function closedRoom() {
    const [ana, ben, cat] = [
      await world.server.user("ana"),
      await world.server.user("ben"),
      await world.server.user("cat"),
    ];
    const { slug, id } = await newChannel(ana, { is_private: true });
    await ana.put(`/api/channels/${id}/members/cat`);
    return { ana, ben, cat, slug, id };
  }

  test("an admin sees the warning after the send and adds the absent person by keyboard, who can then read the message", async () => {
    const { ana, ben, slug, id } = await closedRoom();
    const visit = await world.open({ as: ana, at: `#/c/${slug}`, ...NARROW });
    const { page } = visit;
    await visit.say("@ben and @cat, and @nobody, look at this");
    const line = page.locator(LINE);
    await line.getByText("ben is not in this channel and will not see this.").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/absent.png` });
    expect((await ben.get(`/api/messages?channel_id=${id}`)).status).toBe(404);
    await line.getByRole("button", { name: "Add ben to the channel" }).focus();
    await page.keyboard.press("Enter");
    await line.getByText("ben is not").waitFor({ state: "detached" });
    await visit.waitFor("ben is in the channel now");
    expect((await ben.get(`/api/messages?channel_id=${id}`)).status).toBe(200);
    // Members are no news.
    await visit.say("@ben @cat again");
    await visit.message("@ben @cat again").waitFor();
    await visit.say("@ana.b nobody");
    await visit.message("nobody").last().waitFor();
    expect(await line.innerText()).toBe("");
  });

  test("a member sees the warning without a button, also in a thread and in Chinese; names without an account cause none", async () => {
    const { ana, cat, slug, id } = await closedRoom();
    const root = (await ana.post("/api/messages", { channel_id: id, content: "The root" })).body.message_id;
    const { page } = await world.open({ as: cat, at: `#/c/${slug}/t/${root}`, locale: "zh-CN" });
    const line = page.locator("aside.thread .absent-mentions");
    const field = page.locator("textarea#thread-text");
    await field.fill("@zoe hello");
    await field.press("Enter");
    await page.locator("aside.thread article.message[data-id]", { hasText: "@zoe" }).waitFor();
    expect(await line.innerText()).toBe("");
    await field.fill("@ben hello");
    await field.press("Enter");
    await line.getByText("ben不在此频道中，看不到这条消息。").waitFor();
    expect(await line.getByRole("button").count()).toBe(1);
    // The channel beside the thread says nothing of it.
    expect(await page.locator(LINE).innerText()).toBe("");
    await line.getByRole("button", { name: "关闭" }).click();
    await line.getByText("ben").waitFor({ state: "detached" });
  });

  test("an agent that was added says nothing, and another one is named, as in a direct conversation", async () => {
    const { ana, slug, id } = await closedRoom();
    await issueKey(world.server.ctx, { agentName: "Inner" });
    await issueKey(world.server.ctx, { agentName: "Outer One" });
    await ana.put(`/api/channels/${id}/members/Inner`);
    const visit = await world.open({ as: ana, at: `#/c/${slug}` });
    await visit.say("@Inner @Outer One go");
    await visit.page.locator(LINE).getByText("Outer One is not in this channel and will not see this.").waitFor();
    const direct = (await ana.post("/api/direct", { username: "cat" })).body.channel;
    await visit.page.goto(`${world.server.url}/#/c/${direct.channel_slug}`);
    await visit.page.getByPlaceholder("cat").waitFor();
    await visit.say("@cat ask @ben");
    const line = visit.page.locator(LINE);
    await line.getByText("ben is not in this conversation and will not see this.").waitFor();
    expect(await line.getByRole("button").count()).toBe(1);
  });

  test("everybody reads a public channel, so nothing is said there", async () => {
    const { ana } = await closedRoom();
    const visit = await world.open({ as: ana, at: "#/c/general" });
    const asked: string[] = [];
    visit.page.on("request", (request) => asked.push(request.url()));
    await visit.say("@ben hello");
    await visit.message("@ben hello").waitFor();
    await visit.say("@ben again");
    await visit.message("@ben again").waitFor();
    expect(asked.filter((url) => url.includes("/members"))).toEqual([]);
    expect(await visit.page.locator(LINE).innerText()).toBe("");
  });
});

describe("mentions of banned people where guests read nothing", () => {
  const world = eachServer(() => startTestServer({ guestRead: false }));

  test("the channel's admins see the warning, and other members do not", async () => {
    const [ana, cat] = [await world.server.user("ana"), await world.server.user("cat")];
    await world.server.user("ben");
    const { slug, id } = await newChannel(ana, {});
    await cat.post(`/api/channels/${id}/join`);
    await ana.post(`/api/channels/${id}/bans`, { username: "ben" });
    const admin = await world.open({ as: ana, at: `#/c/${slug}` });
    const member = await world.open({ as: cat, at: `#/c/${slug}` });
    await member.say("@ben from cat");
    await admin.message("@ben from cat").waitFor();
    await admin.say("@ben from ana");
    await admin.page.locator(LINE).getByText("ben is banned from this channel and will not see this.").waitFor();
    await member.message("@ben from ana").waitFor();
    expect(await member.page.locator(LINE).innerText()).toBe("");
  });
});
