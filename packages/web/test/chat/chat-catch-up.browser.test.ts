import { beforeEach, describe, expect, test } from "bun:test";
import { type Line, lineOf } from "../../../server/test/support/browser/line.ts";
import { say } from "../../../server/test/support/say.ts";
import { type Client, eventually } from "../../../server/test/support/servers/test-server.ts";
import { eachServer } from "../support/browser-world.ts";
import type { ChatVisit } from "../support/chat-visit.ts";

/** Events that are sent once, while the page had no socket: the page must read them again. */
describe("a page that was offline", () => {
  const world = eachServer(undefined, [403]);
  let boss: Client;
  let ana: Client;
  let hall: number;
  let visit: ChatVisit;
  let line: Line;

  beforeEach(async () => {
    [boss, ana] = [await world.server.user("boss"), await world.server.user("ana")];
    hall = (await boss.post("/api/channels", { name: "Hall" })).body.channel_id;
    await ana.post(`/api/channels/${hall}/join`);
    visit = await world.open({ as: ana, at: "#/c/hall" });
    line = await lineOf(visit.page);
  });

  /** Restores the network without waiting for the retry: a browser reports when the network is back. */
  const online = async () => {
    await line.cut(false);
    await visit.page.evaluate("dispatchEvent(new Event('online'))");
    await visit.live();
  };
  const listed = () => visit.page.locator(".channel-row .channel-link").allTextContents();
  async function away(): Promise<void> {
    await line.cut(true);
    await visit.page.locator(".connection[data-state=waiting]").waitFor({ state: "attached" });
  }
  /** Gives ana a conversation and a membership in a private channel. */
  async function invite(): Promise<void> {
    const direct = (await boss.post("/api/direct", { username: "ana" })).body.channel_id;
    await say(boss, direct, "psst");
    const den = (await boss.post("/api/channels", { name: "Den", is_private: true })).body.channel_id;
    expect((await boss.put(`/api/channels/${den}/members/ana`, {})).status).toBe(200);
  }

  test("shows the same state as a page that is opened now", async () => {
    await say(ana, 1, "hello");
    await visit.page.reload();
    await visit.live();
    await visit.page.locator(".channel-link .mentioned").first().waitFor({ state: "detached" });
    // A page receives events of a channel after it has joined it; a received message shows that it has.
    const general = visit.page.locator(".channel-link", { hasText: "General" });
    await general.waitFor();
    await say(boss, 1, "anybody?");
    await general.getByText("1 unread").waitFor({ state: "attached" });
    await away();
    await invite();
    await say(boss, 1, "@ana are you there?");
    expect((await boss.put(`/api/channels/${hall}`, { name: "Great Hall" })).status).toBe(200);
    await online();
    const mention = general.locator(".mentioned");
    await mention.getByText("mention").waitFor({ state: "attached" });
    const fresh = await world.open({ as: ana, at: "#/c/hall" });
    const all = async () => (await fresh.page.locator(".channel-row .channel-link").allTextContents()).map(plain);
    const plain = (text: string) => text.replace(/, .*mention.*/, "");
    await eventually("it lists the same", async () => {
      const [here, there] = [(await listed()).map(plain), await all()];
      return there.length === 4 && JSON.stringify(here) === JSON.stringify(there);
    });
  });

  test("shows the same state if its first socket connected late", async () => {
    await line.cut(true);
    await visit.page.reload();
    await eventually("the list is read", async () => (await listed()).length === 2);
    await invite();
    await online();
    await eventually("all is there", async () => {
      const texts = (await listed()).join();
      return texts.includes("Den") && texts.includes("boss");
    });
  });

  test("shows what was pinned among more events than are replayed", async () => {
    const { message_id } = await say(boss, hall, "remember me");
    await visit.page.reload();
    await visit.live();
    await visit.page.getByRole("button", { name: "Pinned messages" }).click();
    await visit.waitFor("No pinned messages");
    await away();
    // More bytes than a socket is sent at once.
    for (let n = 0; n < 250; n += 1) await say(boss, hall, "字".repeat(4_000));
    await boss.post(`/api/messages/${message_id}/pin`);
    await online();
    await visit.page.locator("aside.side").getByText("remember me").waitFor();
  });

  test("shows messages that could not be loaded before, with their later changes", async () => {
    const { message_id } = await say(ana, hall, "helo");
    await visit.waitFor("helo");
    const pages = /\/api\/messages\?limit=50&/;
    // For example by a proxy that knows no server: an immediate retry does not help.
    const refuse = () => visit.page.route(pages, (route) => route.fulfill({ status: 403, body: "{}" }));
    const refused = () => visit.page.waitForResponse(pages);
    await refuse();
    await visit.page.reload();
    await visit.waitFor("Couldn't load the messages.");
    await away();
    await visit.page.unroute(pages);
    await online();
    await visit.waitFor("helo");

    await refuse();
    await away();
    // More than the server replays for a channel.
    for (let n = 1; n <= 1_000; n += 1) await ana.put(`/api/messages/${message_id}`, { content: `hello ${n}` });
    await ana.put(`/api/messages/${message_id}`, { content: "hello" });
    await Promise.all([refused(), online()]);
    await visit.page.unroute(pages);
    await away();
    await online();
    // The mark follows the text on its line.
    await visit.page.getByText(/^hello\s?\(edited\)$/).waitFor();
  });

  test("switches to another user who logged in meanwhile: nothing is sent in their name, and nothing of the first user remains", async () => {
    const den = (await ana.post("/api/channels", { name: "Den", is_private: true })).body.channel_id;
    await visit.page.goto(`${world.server.url}/#/c/den`);
    await visit.page.reload();
    await visit.live();
    await away();
    await visit.say("a secret of ana's");
    await visit.page.locator(".pending").waitFor();
    await visit.field.fill("another sec");
    const [name = "", value = ""] = (boss.credential.cookie ?? "").split("=");
    await visit.page.context().addCookies([{ name, value, url: world.server.url }]);
    await ana.put(`/api/channels/${den}/members/boss`, {});
    await online();
    await visit.page.getByRole("button", { name: "Account menu of boss" }).waitFor();
    await eventually("what she wrote is gone", async () => (await visit.field.inputValue()) === "");
    await visit.say("it is boss");
    await visit.page.locator(".message:not(.pending)", { hasText: "it is boss" }).waitFor();
    const { body } = await ana.get(`/api/messages?channel_id=${den}`);
    expect(body.messages.map(({ content }: { content: string }) => content)).toEqual(["it is boss"]);
    expect(await visit.page.getByText("a secret of ana's").count()).toBe(0);
  });
});
