import { describe, expect, test } from "bun:test";
import { insertChannel } from "../../../server/src/channels/channels.store.ts";
import { stillGif } from "../../../server/test/support/gifs.ts";
import { newChannel } from "../../../server/test/support/new-channel.ts";
import { eventually } from "../../../server/test/support/servers/test-server.ts";
import { staff } from "../../../server/test/support/staff.ts";
import { eachServer } from "../support/browser-world.ts";

describe("channels and people in a browser", () => {
  const world = eachServer();

  test("a channel with a password is created, joined with the right password, changed and deleted", async () => {
    const [ana, ben] = [
      await world.open({ as: await world.server.user("ana") }),
      await world.open({ as: await world.server.user("ben") }),
    ];
    await ana.page.getByRole("button", { name: "Create a channel" }).click();
    const dialog = ana.page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Secret garden");
    await dialog.getByLabel("Private").check();
    await dialog.getByLabel("Password (optional)").fill(" rosebud-rosebud ");
    await dialog.getByRole("button", { name: "Create a channel" }).click();
    await ana.page.getByRole("heading", { name: "This is the start of Secret garden." }).waitFor();
    await ana.say("among us");

    await ben.page.goto(`${world.server.url}/#/c/secret-garden`);
    await ben.page.reload();
    await ben.page.getByText("This channel requires a password.").waitFor();
    expect(await ben.page.getByText("among us").count()).toBe(0);
    await ben.page.getByLabel("Password").fill("not it, not it");
    await ben.page.getByRole("button", { name: "Join" }).click();
    await ben.page.locator(".join .error").getByText(/./).waitFor();
    expect(world.visits.complaints().every((line) => line.includes("403"))).toBe(true);
    await ben.page.getByLabel("Password").fill(" rosebud-rosebud ");
    await ben.page.getByRole("button", { name: "Join" }).click();
    await ben.waitFor("among us");

    await ana.page.getByRole("button", { name: "Settings" }).click();
    await dialog.getByLabel("Topic").fill("Roses only");
    await dialog.getByLabel("Who can post").selectOption("admins");
    await dialog.getByRole("button", { name: "Save" }).click();
    await ben.page.locator(".topic", { hasText: "Roses only" }).waitFor();
    await ben.page.getByText("Only admins can post here.").waitFor();
    await ana.page.getByRole("button", { name: "Settings" }).click();
    await dialog.getByRole("button", { name: "Delete channel" }).click();
    const sure = ana.page.getByRole("dialog", { name: "Secret garden", exact: true });
    await sure.getByRole("button", { name: "Delete channel" }).click();
    await ben.page.getByText("This channel doesn't exist").waitFor();
    await ana.page.getByRole("heading", { name: "This is the start of #general." }).waitFor();
  });

  test("a deleted channel that is restored reappears for its members with all messages, without a reload", async () => {
    const [ana, ben] = [await world.server.user("ana"), await world.server.user("ben")];
    const ruth = await staff(world.server, "ruth", 2);
    const { id, slug } = await newChannel(ana, { name: "Hall" });
    for (const [who, content] of [
      [ana, "good morning"],
      [ben, "good evening"],
    ] as const) {
      await who.post("/api/messages", { channel_id: id, content });
    }
    const [looking, elsewhere] = [
      await world.open({ as: ben, at: `#/c/${slug}` }),
      await world.open({ as: ana, at: "#/c/general" }),
    ];
    await looking.waitFor("good evening");
    const link = elsewhere.page.getByRole("link", { name: "Hall" });
    await link.waitFor();
    await ana.delete(`/api/channels/${id}`);
    await looking.page.getByText("This channel doesn't exist").waitFor();
    await link.waitFor({ state: "detached" });
    expect((await ruth.post(`/api/admin/channels/${id}/restore`)).status).toBe(200);
    await ben.post("/api/messages", { channel_id: id, content: "said at once" });
    await looking.waitFor("said at once");
    const all = ["good morning", "good evening", "said at once"];
    await eventually("nothing is missing", async () => (await looking.texts()).join() === all.join());
    await link.click();
    await elsewhere.waitFor("said at once");
    await elsewhere.say("and heard again");
    await looking.waitFor("and heard again");
  });

  test("users join and leave a public channel, and members are promoted, muted, removed and banned", async () => {
    const owner = await world.server.user("ana");
    await owner.post("/api/channels", { name: "Hall" });
    const ana = await world.open({ as: owner, at: "#/c/hall" });
    const ben = await world.open({ as: await world.server.user("ben"), at: "#/c/hall" });
    await ben.page.getByRole("button", { name: "Join" }).click();
    await ben.page.getByRole("button", { name: "Settings" }).waitFor();
    const side = ana.page.locator(".side");
    const members = async () => {
      await ana.page.getByRole("button", { name: /members?$/ }).click();
      return ana.page.getByRole("dialog", { name: "Members" });
    };
    const onBen = async (act: string) => {
      await ana.page.getByRole("dialog").getByRole("button", { name: "Actions for ben" }).click();
      await ana.page.getByRole("button", { name: act, exact: true }).click();
    };
    // Escape closes only the uppermost layer.
    for (const [open, above] of [
      [() => members(), ana.page.getByRole("dialog")],
      [() => side.getByRole("button", { name: "Actions for ben" }).click(), side.locator(":popover-open")],
    ] as const) {
      await open();
      await above.waitFor();
      await ana.page.keyboard.press("Escape");
      await above.waitFor({ state: "detached" });
      expect(await side.count()).toBe(1);
    }
    const dialog = await members();
    await onBen("Make admin");
    // The role is beside the name, and in the card that closes.
    const role = dialog.locator(".person", { hasText: "ben" }).getByText("admin", { exact: true });
    await role.first().waitFor();
    await onBen("Remove admin role");
    await eventually("ben is no admin", async () => (await role.count()) === 0);
    await onBen("Mute for an hour");
    await dialog.getByText("muted").waitFor();
    await ben.say("hello?");
    await ben.page.getByText("Not sent:").waitFor();
    await onBen("Unmute");
    await eventually("they may speak", async () => (await dialog.getByText("muted").count()) === 0);
    await ben.page.getByRole("button", { name: "Try again" }).click();
    await ana.message("hello?").waitFor({ state: "attached" });
    // A mention is written where the user then is: in the composer, with nothing above it.
    await onBen("Mention");
    await dialog.waitFor({ state: "detached" });
    await eventually("it is mentioned", async () => (await ana.field.inputValue()) === "@ben ");
    expect(await ana.page.evaluate("document.activeElement.id")).toBe("text");
    await members();
    await onBen("Remove from channel");
    const sure = ana.page.getByRole("dialog", { name: "Remove from channel" });
    await sure.getByRole("button", { name: "Cancel" }).click();
    await sure.waitFor({ state: "detached" });
    await dialog.locator(".person", { hasText: "ben" }).waitFor();
    await onBen("Remove from channel");
    await sure.getByRole("button", { name: "Remove ben" }).click();
    await ben.page.getByRole("button", { name: "Settings" }).waitFor({ state: "detached" });
    await ben.page.getByRole("button", { name: "Join" }).click();
    await ana.page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await members();
    await onBen("Ban from channel");
    await ana.page.getByRole("dialog", { name: "Ban from channel" }).getByRole("button", { name: "Ban ben" }).click();
    await dialog.getByRole("heading", { name: "Banned" }).waitFor();
    await ben.page.getByRole("button", { name: "Settings" }).waitFor({ state: "detached" });
    await dialog.getByRole("button", { name: "Lift ban" }).click();
    await dialog.getByRole("heading", { name: "Banned" }).waitFor({ state: "detached" });
  });

  test("of thousands of channels 200 are listed, more on demand, and a link opens any of them", async () => {
    const ana = await world.server.user("ana");
    await ana.post("/api/channels/1/leave");
    const { ctx } = world.server;
    await ctx.db.transaction().execute(async (db) => {
      for (let n = 1; n <= 450; n += 1) {
        await insertChannel(db, {
          name: `Room ${n}`,
          slug: `room-${n}`,
          owner_id: null,
          created_at: ctx.clock.now(),
        });
      }
    });
    for (const visit of [await world.open({ as: ana, at: "#/c/room-420" }), await world.open({ at: "#/c/room-420" })]) {
      const { page } = visit;
      await page.getByRole("heading", { name: "This is the start of #Room 420." }).waitFor();
      const links = page.locator(".channel-row .channel-link");
      const more = page.getByRole("button", { name: "Show more channels" });
      expect(await links.count()).toBe(201); // 200 with general, and the one in sight
      expect(await page.getByRole("link", { name: "Room 300", exact: true }).count()).toBe(0);
      await more.click();
      await page.getByRole("link", { name: "Room 300", exact: true }).waitFor();
      await more.click();
      await more.waitFor({ state: "detached" });
      expect(await links.count()).toBe(451);
      await page.getByRole("link", { name: "Room 449", exact: true }).click();
      await page.getByRole("heading", { name: "This is the start of #Room 449." }).waitFor();
    }
  });

  test("a name opens a direct conversation, which the other user finds in the list", async () => {
    const [ana, ben] = [
      await world.open({ as: await world.server.user("ana") }),
      await world.open({ as: await world.server.user("ben") }),
    ];
    await ana.page.locator(".side").getByRole("button", { name: "Actions for ben" }).click();
    await ana.page.getByRole("button", { name: "Send a direct message" }).click();
    await ana.page.getByRole("heading", { name: "This is the start of your conversation with ben." }).waitFor();
    await ana.say("between us");
    const link = ben.page.getByRole("link", { name: "ana 1 unread" });
    await link.click();
    await ben.waitFor("between us");
    await ben.page.getByRole("link", { name: "ana", exact: true }).waitFor();
  });

  test("a GIF is uploaded, sent and seen by others, and does not move with reduced motion", async () => {
    const ana = await world.open({ as: await world.server.user("ana") });
    const ben = await world.open({ as: await world.server.user("ben"), reducedMotion: "reduce" });
    await ana.page.getByRole("button", { name: "Stickers" }).click();
    await ana.page.getByText("You don't have any stickers yet.").waitFor();
    // Content that appears in the panel after it was opened must not cover the composer.
    const [panel, button] = await Promise.all([
      ana.page.locator(".popover:popover-open").boundingBox(),
      ana.page.getByRole("button", { name: "Stickers" }).boundingBox(),
    ]);
    expect((panel?.y ?? 0) + (panel?.height ?? 0)).toBeLessThan(button?.y ?? 0);
    const file = { name: "wave.gif", mimeType: "image/gif", buffer: Buffer.from(stillGif(24, 24)) };
    await ana.page.locator(".popover input[type=file]").setInputFiles(file);
    await ana.page.getByRole("button", { name: "Send the sticker wave" }).click();
    const shown = ana.page.getByRole("img", { name: "Sticker: wave" });
    await shown.waitFor();
    await eventually("the picture is there", () =>
      ana.page.evaluate("document.querySelector('img.sticker').naturalWidth > 0"),
    );
    const still = ben.page.getByRole("button", { name: "Sticker: wave. Play the animation" });
    await still.waitFor();
    expect(await ben.page.locator("img.sticker").count()).toBe(0);
    await still.click();
    await ben.page.getByRole("img", { name: "Sticker: wave" }).waitFor();
    await ana.page.getByRole("button", { name: "Stickers" }).click();
    const broken = { name: "no.gif", mimeType: "image/gif", buffer: Buffer.from("GIF89a and then nothing") };
    await ana.page.locator(".popover input[type=file]").setInputFiles(broken);
    await ana.page.locator(".stickers .error").getByText(/./).waitFor();
    expect(world.visits.complaints().every((line) => /4(15|22)/.test(line))).toBe(true);
  });

  test("a GIF that is chosen while the list of stickers loads is uploaded and stays in the list", async () => {
    const eva = await world.open({ as: await world.server.user("eva") });
    const asked = Promise.withResolvers<void>();
    const uploaded = Promise.withResolvers<void>();
    await eva.page.route(/\/api\/stickers(\?|$)/, async (route) => {
      if (route.request().method() !== "GET") return route.continue();
      const early = await route.fetch();
      asked.resolve();
      await uploaded.promise;
      await route.fulfill({ response: early });
    });
    await eva.page.getByRole("button", { name: "Stickers" }).click();
    await asked.promise;
    const file = { name: "soon.gif", mimeType: "image/gif", buffer: Buffer.from(stillGif(24, 24)) };
    await eva.page.locator(".popover input[type=file]").setInputFiles(file);
    const sticker = eva.page.getByRole("button", { name: "Send the sticker soon" });
    await sticker.waitFor();
    const listed = eva.page.waitForResponse((answer) => /\/api\/stickers(\?|$)/.test(answer.url()));
    uploaded.resolve();
    await (await listed).finished();
    await eva.page.getByText("Loading").waitFor({ state: "hidden" });
    await sticker.click();
    await eva.page.getByRole("img", { name: "Sticker: soon" }).waitFor();
  });
});
