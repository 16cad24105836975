import { describe, expect, test } from "bun:test";
import { datedClock } from "../../../server/test/support/clock.ts";
import { eventually, startTestServer } from "../../../server/test/support/servers/test-server.ts";
import { axeProblems } from "../support/axe.ts";
import { eachServer } from "../support/browser-world.ts";

const NARROW = { viewport: { width: 320, height: 640 }, colorScheme: "dark" } as const;

describe("messages that are sent later, in a browser", () => {
  const clock = datedClock();
  const world = eachServer(() => startTestServer({ rateLimits: "off" }, { clock }));

  test("a message is scheduled from the composer, changed, and sent at its time", async () => {
    const ann = await world.server.user("ann");
    const visit = await world.open({ as: ann, ...NARROW });
    const { page } = visit;
    const times = page.getByRole("button", { name: "Send later or disappear" });
    await times.click();
    await page.getByText("Write a message first.").waitFor();
    await page.keyboard.press("Escape");
    await visit.field.fill("Good **morning**");
    await times.click();
    await page.getByRole("button", { name: "In 20 minutes" }).click();
    await page.getByText("It will be sent:").waitFor();
    await eventually("the field is empty", async () => (await visit.field.inputValue()) === "");
    await times.click();
    await page.getByRole("button", { name: "Scheduled messages" }).click();
    const dialog = page.getByRole("dialog", { name: "Scheduled messages" });
    await dialog.getByText("Good **morning**").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await dialog.getByRole("button", { name: /^Change/ }).click();
    await dialog.getByRole("textbox", { name: "Message" }).fill("Good evening");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("Good evening").waitFor();
    clock.ahead += 21 * 60_000;
    await dialog.getByText("No message waits to be sent.").waitFor();
    await page.keyboard.press("Escape");
    await visit.waitFor("Good evening");
  });

  test("one that cannot be sent says why, and the notification leads to it; another one is cancelled", async () => {
    const [ann, ben] = [await world.server.user("ann"), await world.server.user("ben")];
    const { channel_id } = (await ann.post("/api/channels", { name: "Lab" })).body;
    const send_at = new Date(clock.now() + 60_000).toISOString();
    const schedule = (content: string, at = send_at) =>
      ben.post("/api/scheduled", { channel_id, content, send_at: at });
    await schedule("too late");
    await schedule("never", new Date(clock.now() + 7_200_000).toISOString());
    expect((await ann.post(`/api/channels/${channel_id}/bans`, { username: "ben" })).status).toBeLessThan(300);
    const { page } = await world.open({ as: ben, locale: "zh-CN" });
    clock.ahead += 61_000;
    await page.getByRole("button", { name: /^通知/ }).click();
    await page.getByText("你的定时消息未能发送").waitFor();
    await page.getByRole("button", { name: "定时消息", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "定时消息" });
    const failed = dialog.getByRole("region", { name: "未能发送" });
    await failed.getByText("too late").waitFor();
    await failed.getByText("你已被此频道封禁。").waitFor();
    await dialog.getByRole("button", { name: "取消发送: never" }).click();
    await dialog.getByText("没有等待发送的消息。").waitFor();
    expect((await ben.get("/api/scheduled?status=cancelled")).body.scheduled).toMatchObject([{ content: "never" }]);
  });
});
