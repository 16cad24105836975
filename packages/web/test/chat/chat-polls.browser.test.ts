import { describe, expect, test } from "bun:test";
import { lineOf } from "../../../server/test/support/browser/line.ts";
import { eventually, startTestServer } from "../../../server/test/support/servers/test-server.ts";
import { axeProblems } from "../support/axe.ts";
import { eachServer } from "../support/browser-world.ts";

const NARROW = { viewport: { width: 320, height: 640 }, colorScheme: "dark" } as const;

describe("polls, in a browser", () => {
  const world = eachServer(() => startTestServer({ rateLimits: "off" }), [400]);

  test("a poll is made from the composer, and two people see each other vote, change and withdraw", async () => {
    const [ann, ben] = [await world.server.user("ann"), await world.server.user("ben")];
    const visit = await world.open({ as: ann, ...NARROW });
    const { page } = visit;
    await page.getByRole("button", { name: "New poll" }).click();
    const dialog = page.getByRole("dialog", { name: "New poll" });
    await dialog.getByLabel("Question").fill("Tea?");
    await dialog.getByLabel("Option 1", { exact: true }).fill("Green");
    await dialog.getByLabel("Option 2", { exact: true }).fill("Black");
    await dialog.getByRole("button", { name: "Add an option" }).click();
    await dialog.getByLabel("Option 3", { exact: true }).fill("None");
    expect(await axeProblems(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Send the poll" }).click();
    const poll = page.getByRole("group", { name: "Poll: Tea?" });
    await poll.waitFor();
    await dialog.waitFor({ state: "detached" });
    const other = (await world.open({ as: ben })).page;
    const theirs = other.getByRole("group", { name: "Poll: Tea?" });
    await theirs.getByRole("radio", { name: /^Black/ }).check();
    await other.getByRole("button", { name: "Vote", exact: true }).click();
    await poll.getByRole("radio", { name: "Black 1 (100%)" }).waitFor();
    await poll.getByText("ben").waitFor();
    await page.getByText("1 person voted").waitFor();

    // The keyboard alone: the choice is no vote until Enter is pressed.
    await poll.getByRole("radio", { name: /^Green/ }).focus();
    await page.keyboard.press("Space");
    await page.keyboard.press("Enter");
    await theirs.getByRole("radio", { name: "Green 1 (50%)" }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await theirs.getByRole("radio", { name: /^None/ }).check();
    await other.getByRole("button", { name: "Change my vote" }).click();
    await poll.getByRole("radio", { name: "None 1 (50%)" }).waitFor();
    await other.getByRole("button", { name: "Withdraw my vote" }).click();
    await poll.getByRole("radio", { name: "None 0 (0%)" }).waitFor();
    expect(await other.getByRole("button", { name: "Close the poll" }).count()).toBe(0);

    await page.getByRole("button", { name: "Close the poll" }).click();
    await page
      .getByRole("alertdialog")
      .or(page.getByRole("dialog"))
      .getByRole("button", { name: "Close the poll" })
      .click();
    await other.getByText("closed").waitFor();
    expect(await theirs.getByRole("radio", { name: /^Black/ }).isDisabled()).toBe(true);
    // The reader's own choice is known after a reload, too.
    await page.reload();
    expect(await poll.getByRole("radio", { name: "Green 1 (100%)" }).isChecked()).toBe(true);
  });

  test("a vote shows on the voter's other page, also after that was offline, and can be changed back there", async () => {
    const [ann, ben] = [await world.server.user("ann"), await world.server.user("ben")];
    const body = { channel_slug: "general", question: "Tea?", options: ["Green", "Black"], anonymous: true };
    const { message_id: id } = (await ann.post("/api/polls", body)).body;
    const [visit, other] = [await world.open({ as: ben }), await world.open({ as: ben })];
    const line = await lineOf(other.page);
    await other.page.reload();
    await other.live();
    const choice = ({ page }: typeof visit, name: string) =>
      page.getByRole("group", { name: "Poll: Tea?" }).getByRole("radio", { name });
    const becomes = (at: typeof visit, name: string) =>
      eventually(`the vote is ${name}`, () => choice(at, name).isChecked());
    await choice(other, "Green 0 (0%)").waitFor();
    await choice(visit, "Green 0 (0%)").check();
    await visit.page.getByRole("button", { name: "Vote", exact: true }).click();
    await becomes(other, "Green 1 (100%)");
    // The other page has changed nothing itself, and can.
    await choice(other, "Black 0 (0%)").check();
    await other.page.getByRole("button", { name: "Change my vote" }).click();
    await becomes(visit, "Black 1 (100%)");
    await choice(visit, "Green 0 (0%)").check();
    await visit.page.getByRole("button", { name: "Change my vote" }).click();
    await becomes(other, "Green 1 (100%)");

    await line.cut(true);
    expect((await ben.put(`/api/polls/${id}/vote`, { option_ids: [2] })).status).toBe(200);
    await becomes(visit, "Black 1 (100%)");
    await line.cut(false);
    await other.page.evaluate("dispatchEvent(new Event('online'))");
    await becomes(other, "Black 1 (100%)");
    await other.page.getByRole("button", { name: "Withdraw my vote" }).click();
    await visit.page.getByRole("button", { name: "Vote", exact: true }).waitFor();
  });

  test("an anonymous poll with several options, made in Chinese, names nobody", async () => {
    const ann = await world.server.user("ann");
    const visit = await world.open({ as: ann, locale: "zh-CN" });
    const { page } = visit;
    await page.getByRole("button", { name: "发起投票" }).click();
    const dialog = page.getByRole("dialog", { name: "发起投票" });
    await dialog.getByLabel("问题").fill("午饭？");
    await dialog.getByLabel("选项 1", { exact: true }).fill("面");
    await dialog.getByLabel("选项 2", { exact: true }).fill("面");
    await dialog.getByLabel("可选择多个选项").check();
    await dialog.getByLabel("匿名：没有人能看到谁选了什么").check();
    await dialog.getByRole("button", { name: "发送投票" }).click();
    await dialog.getByText("投票需要一个问题和 2 到 10 个不同的选项").waitFor();
    await dialog.getByLabel("选项 2", { exact: true }).fill("饭");
    await dialog.getByRole("button", { name: "发送投票" }).click();
    const poll = page.getByRole("group", { name: "投票: 午饭？" });
    await poll.getByRole("checkbox", { name: /^面/ }).check();
    await poll.getByRole("checkbox", { name: /^饭/ }).check();
    await page.getByRole("button", { name: "投票", exact: true }).click();
    await poll.getByRole("checkbox", { name: "饭 1 票（100%）" }).waitFor();
    await page.getByText("1 人已投票").waitFor();
    expect(await poll.getByText("ann").count()).toBe(0);
  });
});
