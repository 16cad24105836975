import { beforeEach, describe, expect, test } from "bun:test";
import { type Client, eventually } from "../../../server/test/support/servers/test-server.ts";
import { eachServer } from "../support/browser-world.ts";

describe("a press in the list of messages", () => {
  const world = eachServer();
  let ana: Client;
  let ben: Client;

  beforeEach(async () => {
    [ana, ben] = [await world.server.user("ana"), await world.server.user("ben")];
    await world.server.user("zoe");
    for (let n = 1; n <= 30; n += 1)
      await ana.post("/api/messages", { channel_slug: "general", content: `number ${n}, ask @zoe` });
  });

  test("acts although messages arrive before the release, and then the list follows its end", async () => {
    const visit = await world.open({ as: ana, at: "#/c/general", viewport: { width: 1280, height: 800 } });
    const { page } = visit;
    const name = visit.message("number 30,").getByRole("button", { name: "@zoe" });
    await name.waitFor();
    const box = async () => (await name.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    let last = await box();
    await eventually("the list is at rest", async () => {
      const before = last;
      last = await box();
      return last.y > 0 && last.y === before.y;
    });
    await page.mouse.move(last.x + last.width / 2, last.y + last.height / 2);
    await page.mouse.down();
    for (let n = 31; n <= 34; n += 1)
      await ben.post("/api/messages", { channel_slug: "general", content: `number ${n}.` });
    await visit.message("number 34.").waitFor({ state: "attached" });
    await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
    // The browser rounds parts of a pixel.
    expect(Math.abs((await box()).y - last.y)).toBeLessThan(2);
    await page.mouse.up();
    await page.getByRole("dialog", { name: "zoe", exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await eventually("the end is in view", async () => {
      const newest = await visit.message("number 34.").boundingBox();
      return newest !== null && newest.y + newest.height < 800;
    });
  });
});
