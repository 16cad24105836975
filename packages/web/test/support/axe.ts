import axe from "axe-core";
import type { Page } from "playwright-core";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Waits until animations end, because axe must not judge colours half-way. Endless animations are ignored. */
const AT_REST = `Promise.allSettled(document.getAnimations()
  .filter((each) => each.effect.getComputedTiming().endTime !== Infinity)
  .map((each) => each.finished))`;

/** Returns the problems that axe finds in the page or in an element, one line each. */
export async function axeProblems(page: Page, within = "body"): Promise<string[]> {
  // The page's policy blocks foreign scripts; the debugger can still run one.
  await page.evaluate(axe.source);
  await page.evaluate(`${AT_REST}.then(() => {})`);
  const options = JSON.stringify({ runOnly: { type: "tag", values: TAGS }, resultTypes: ["violations"] });
  const found = await page.evaluate(`axe.run(${JSON.stringify(within)}, ${options})`);
  const { violations } = found as axe.AxeResults;
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 200)}`));
}
