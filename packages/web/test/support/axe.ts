import axe from "axe-core";
import type { Page } from "playwright-core";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** What moves or fades comes to its end: colours half way from one to the other are nobody's choice. What never ends is left alone. */
const AT_REST = `Promise.allSettled(document.getAnimations()
  .filter((each) => each.effect.getComputedTiming().endTime !== Infinity)
  .map((each) => each.finished))`;

/** What axe finds wrong with what the page shows, a line each; or only within an element. */
export async function axeProblems(page: Page, within = "body"): Promise<string[]> {
  // The policy of the page lets in no script; its debugger is not asked.
  await page.evaluate(axe.source);
  await page.evaluate(`${AT_REST}.then(() => {})`);
  const options = JSON.stringify({ runOnly: { type: "tag", values: TAGS }, resultTypes: ["violations"] });
  const found = await page.evaluate(`axe.run(${JSON.stringify(within)}, ${options})`);
  const { violations } = found as axe.AxeResults;
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 200)}`));
}
