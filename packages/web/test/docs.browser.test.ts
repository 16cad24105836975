import { expect, test } from "bun:test";
import { startTestServer } from "../../server/test/support/servers/test-server.ts";
import { axeProblems } from "./support/axe.ts";
import { sharedBrowser } from "./support/browser.ts";

test.each(["/docs", "/docs/events"])("%s works under the strict policy", async (path) => {
  await using server = await startTestServer();
  const browser = await sharedBrowser();
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on("console", (line) => problems.push(line.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
  await page.goto(server.url + path);
  expect(await page.evaluate("getComputedStyle(document.body).maxWidth")).toBe("960px");
  if (path === "/docs") {
    const operation = page.locator("details").first();
    await operation.locator("summary").click();
    expect(await operation.locator("dl").first().isVisible()).toBe(true);
  }
  expect(problems).toEqual([]);
  expect(await axeProblems(page, "main")).toEqual([]);
  // The page refuses what an attacker's markup could try: inline style, inline script, and text parsed as markup.
  const refused = await page.evaluate(`(() => {
    const element = document.createElement("div");
    document.body.append(element);
    element.setAttribute("style", "color: rgb(1, 2, 3)");
    let parsed = "parsed";
    try { element.innerHTML = "<b>x</b>"; } catch (error) { parsed = error.name; }
    return [getComputedStyle(element).color === "rgb(1, 2, 3)", parsed];
  })()`);
  expect(refused).toEqual([false, "TypeError"]);
  await page.close();
});
