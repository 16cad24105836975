import { describe, expect, test } from "bun:test";
import { Client, eventually } from "../../../server/test/support/servers/test-server.ts";
import { eachServer } from "../support/browser-world.ts";

describe("the chat in a browser", () => {
  const world = eachServer();

  test("two users see each other's messages live, and an agent is marked as an agent", async () => {
    const [ana, ben] = await Promise.all([world.open(), world.open({ colorScheme: "dark", locale: "de-DE" })]);
    await ana.register("ana");
    await ben.register("ben");
    expect(await ana.page.evaluate("document.activeElement.id")).toBe("text");
    await ben.field.pressSequentially("I am typ");
    await ana.waitFor("ben is typing…");
    await ben.field.fill("");
    await ana.say("Hello @ben, can you see this?");
    await ben.waitFor("can you see this?");
    await ben.page.locator(".mention.me", { hasText: "@ben" }).waitFor();
    await ben.say("I can.");
    await ana.waitFor("I can.");

    const scout = await world.server.agent("Scout");
    await scout.post("/api/agenthub/login", { channel_slug: "general", agent_name: "Scout" });
    const listed = ana.page.locator(".side .person", { hasText: "Scout" });
    expect(await listed.locator(".badge").innerText()).toBe("AGENT");
    await scout.post("/api/agenthub/send", { channel_slug: "general", agent_name: "Scout", message: "Beep." });
    await ana.waitFor("Beep.");
    expect(await ana.message("Beep.").locator(".badge").innerText()).toBe("AGENT");
    expect(await ana.message("I can.").locator(".badge").count()).toBe(0);
    await ben.waitFor("Beep.");
    expect(await ben.texts()).toEqual(["Hello @ben, can you see this?", "I can.", "Beep."]);
    expect(await ana.page.locator(".pending").count()).toBe(0);
    await ana.page.getByRole("button", { name: "3 online" }).waitFor();
  });

  test("a wrong password shows an error, Escape closes the form, and after a logout a guest reads on", async () => {
    const ana = await world.server.user("ana");
    await ana.post("/api/messages", { channel_slug: "general", content: "for everybody" });
    const visit = await world.open();
    const { page } = visit;
    await visit.waitFor("for everybody");
    await page.getByRole("button", { name: "Log in" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Username").fill("ana");
    await dialog.getByLabel("Password").fill("not the right one");
    await page.keyboard.press("Enter");
    await page.getByText("Wrong username or password.").waitFor();
    // The browser itself logs the 401.
    expect(world.visits.complaints().every((line) => line.includes("401"))).toBe(true);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await visit.register("ben");
    await page.getByRole("button", { name: "Account menu of ben" }).click();
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByText("Log in to post").waitFor();
    await ana.post("/api/messages", { channel_slug: "general", content: "still there?" });
    await visit.waitFor("still there?");
  });

  test("after a session ends elsewhere the page says so, and a guest reads on", async () => {
    const ana = await world.server.user("ana");
    const visit = await world.open({ as: ana });
    await visit.field.waitFor();
    // The end of the session would overtake a request of the page that loads.
    await visit.page.waitForLoadState("networkidle");
    await new Client(world.server.url, ana.credential).post("/api/auth/logout");
    await visit.waitFor("Your session has ended");
    await visit.live();
    const ben = await world.server.user("ben");
    await ben.post("/api/messages", { channel_slug: "general", content: "still there?" });
    await visit.waitFor("still there?");
    expect(await visit.field.count()).toBe(0);
  });

  test("a reply, a reaction, an edit and a deletion reach the other page", async () => {
    const [ana, ben] = await Promise.all(
      [await world.server.user("ana"), await world.server.user("ben")].map((as) => world.open({ as })),
    );
    if (ana === undefined || ben === undefined) throw new Error("nobody came");
    await ana.say("first");
    await ben.waitFor("first");
    await ben.act("first", "Reply");
    await ben.say("an answer");
    await ana.message("an answer").locator(".quote", { hasText: "first" }).waitFor();
    await ben.act(ben.message("first").first(), "React with 👍");
    const like = ana.message("first").first().getByRole("button", { name: "👍: 1" });
    await like.waitFor();
    await like.click();
    await ben.message("first").first().getByRole("button", { name: "👍: 2", pressed: true }).waitFor();

    await ben.act("an answer", "More", "Edit");
    await ben.page.getByLabel("Edit message").fill("a better answer");
    await ben.page.keyboard.press("Enter");
    await ana.waitFor("a better answer");
    await ana.page.getByText("(edited)").waitFor();
    await ben.page.getByText("(edited)").waitFor();

    await ben.act("a better answer", "More", "Delete");
    await ben.waitFor("This message was deleted.");
    await ana.waitFor("This message was deleted.");
  });

  test("a user who posts in a public channel has joined it: it is among their own, without a prompt to join", async () => {
    const boss = await world.server.user("boss");
    await boss.post("/api/channels", { name: "Square" });
    const ana = await world.open({
      as: await world.server.user("ana"),
      at: "#/c/square",
      viewport: { width: 1280, height: 800 },
    });
    const join = ana.page.getByRole("button", { name: "Join", exact: true });
    await join.waitFor();
    await ana.say("hello");
    await join.waitFor({ state: "detached" });
    const own = ana.page.locator(".group").first();
    await own.getByRole("link", { name: "Square" }).waitFor();
  });

  test("names are completed, and drafts stay with their channel", async () => {
    const as = await world.server.user("ana");
    await as.post("/api/channels", { name: "Other" });
    const scout = await world.server.agent("Night Scout");
    await scout.post("/api/agenthub/login", { channel_slug: "general", agent_name: "Night Scout" });
    const ana = await world.open({ as });
    await ana.page.locator(".side .person", { hasText: "Night Scout" }).waitFor();
    await ana.field.pressSequentially("hey @ni");
    await ana.page.getByRole("option", { name: "Night Scout" }).waitFor();
    await ana.page.keyboard.press("Tab");
    expect(await ana.field.inputValue()).toBe("hey @Night_Scout ");
    await ana.page.getByRole("link", { name: "Other" }).click();
    await ana.page.getByRole("heading", { name: "This is the start of #Other." }).waitFor();
    expect(await ana.field.inputValue()).toBe("");
    await ana.page.goBack();
    await ana.page.getByRole("heading", { name: "This is the start of #general." }).waitFor();
    expect(await ana.field.inputValue()).toBe("hey @Night_Scout ");
    await ana.page.reload();
    await ana.field.waitFor();
    expect(await ana.field.inputValue()).toBe("hey @Night_Scout ");
    await ana.field.press("Enter");
    await ana.page.locator(".mention", { hasText: "@Night_Scout" }).waitFor();
    expect(await ana.field.inputValue()).toBe("");
  });

  test("unread messages are counted in other channels, marked as new on arrival, and read when visible", async () => {
    const [ana, ben] = [await world.server.user("ana"), await world.server.user("ben")];
    const { body } = await ana.post("/api/channels", { name: "Kitchen" });
    await ben.post(`/api/channels/${body.channel_id}/join`, {});
    await ben.post(`/api/channels/${body.channel_id}/read`, {});
    const visit = await world.open({ as: ben });
    await visit.field.waitFor();
    const link = visit.page.getByRole("link", { name: /Kitchen/ });
    await link.waitFor();
    for (const content of ["soup", "is", "ready, @ben"]) {
      await ana.post("/api/messages", { channel_slug: "kitchen", content });
    }
    await link.getByText("3 unread, you were mentioned").waitFor({ state: "attached" });
    await link.click();
    await visit.waitFor("soup");
    await visit.page.locator(".new-line").waitFor();
    await eventually("all is read", async () => (await link.locator(".count").count()) === 0);
    const kitchen = async () =>
      (await ben.get("/api/channels")).body.channels.find(
        (each: { channel_slug: string }) => each.channel_slug === "kitchen",
      );
    await eventually("the server knows it", async () => (await kitchen()).unread_count === 0);
  });
});
