import { beforeEach, describe, expect, test } from "bun:test";
import { type Client, eventually } from "../../../server/test/support/servers/test-server.ts";
import { axeProblems } from "../support/axe.ts";
import { eachServer } from "../support/browser-world.ts";
import { Finger, PHONE } from "../support/touch.ts";

describe("the slash menu", () => {
  const world = eachServer();
  let ana: Client;

  /** Logs an agent with commands in to the hall. */
  const helper = async (name: string, commands: Readonly<Record<string, string>>) => {
    const agent = await world.server.agent(name);
    await agent.post("/api/agenthub/login", { channel_slug: "hall", agent_name: name });
    const set = () =>
      agent.put("/api/agenthub/commands", {
        commands: Object.entries(commands).map(([command, description]) => ({ command, description })),
      });
    await set();
    return agent;
  };

  beforeEach(async () => {
    ana = await world.server.user("ana");
    await ana.post("/api/channels", { name: "Hall" });
  });

  test("offers the commands of the agents here, and one that is chosen by keys reaches its agent as a mention", async () => {
    const bot = await helper("Data Bot", { deploy: "Deploy a branch", describe: "Say what runs" });
    await helper("Other Bot", { deploy: "Deploy elsewhere", stop: "Stop everything" });
    const visit = await world.open({ as: ana, at: "#/c/hall" });
    await visit.field.pressSequentially("/");
    const options = visit.page.getByRole("option");
    await eventually("all are offered", async () => (await options.count()) === 4);
    await visit.field.pressSequentially("de");
    await eventually("the others are gone", async () => (await options.count()) === 3);
    expect(await options.allInnerTexts()).toEqual([
      expect.stringMatching(/\/deploy\s+Data Bot\s+Deploy a branch/),
      expect.stringMatching(/\/describe\s+Data Bot\s+Say what runs/),
      expect.stringMatching(/\/deploy\s+Other Bot\s+Deploy elsewhere/),
    ]);
    await visit.page.keyboard.press("ArrowDown");
    await visit.page.keyboard.press("Tab");
    expect(await visit.field.inputValue()).toBe("/describe@Data_Bot ");
    expect(await options.count()).toBe(0);
    await visit.field.pressSequentially("main");
    await visit.page.keyboard.press("Enter");
    await eventually("the agent has it", async () => {
      const [item] = (await bot.get("/api/agenthub/inbox")).body.items;
      return item?.chat_message.content === "/describe@Data_Bot main";
    });
  });

  test("Escape closes it, and what no command begins with is sent as it is", async () => {
    await helper("Data Bot", { deploy: "Deploy a branch" });
    const visit = await world.open({ as: ana, at: "#/c/hall" });
    const options = visit.page.getByRole("option");
    await visit.field.pressSequentially("/d");
    await options.first().waitFor();
    await visit.page.keyboard.press("Escape");
    expect(await options.count()).toBe(0);
    await visit.field.fill("");
    await visit.field.pressSequentially("/shrug");
    await visit.page.keyboard.press("Enter");
    await visit.message("/shrug").waitFor();
  });

  test("on a phone, in the dark, it fits the window, scrolls, and a tap chooses", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [`command_${n}`, `Number ${n}, ${"with a long description ".repeat(8)}`]),
    );
    await helper("Data Bot", many);
    const visit = await world.open({ as: ana, at: "#/c/hall", ...PHONE, colorScheme: "dark" });
    await visit.field.pressSequentially("/");
    const list = visit.page.getByRole("listbox", { name: "Suggestions" });
    await list.waitFor();
    await eventually("all are offered", async () => (await visit.page.getByRole("option").count()) === 40);
    const box = await visit.placeOf(list);
    expect(box.x).toBeGreaterThanOrEqual(0);
    expect(box.x + box.width).toBeLessThanOrEqual(PHONE.viewport.width);
    expect(box.y).toBeGreaterThanOrEqual(0);
    await visit.page.keyboard.press("ArrowUp");
    // The field takes the keys, and they scroll the list.
    const problems = (await axeProblems(visit.page, ".composer")).filter(
      (line) => !line.startsWith("scrollable-region"),
    );
    expect(problems).toEqual([]);
    const last = visit.page.getByRole("option").last();
    const shown = await visit.placeOf(last);
    expect(shown.y + shown.height).toBeLessThanOrEqual(box.y + box.height + 1);
    const finger = await Finger.on(visit.page);
    await finger.tap(last);
    await eventually("it is written", async () => (await visit.field.inputValue()) === "/command_39@Data_Bot ");
  });
});
