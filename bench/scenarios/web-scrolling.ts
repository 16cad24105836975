import type { Page } from "playwright-core";
import { firstMessage, measureRendererCpu, visit } from "../browser/chromium.ts";
import { countPerSecond, intervals, median } from "../statistics.ts";
import type { Case } from "../suite.ts";
import { openWebSetup, type WebSetup } from "./web-setup.ts";

/** One notch of a mouse wheel, and the time between notches of a hurried user. */
const NOTCH_PX = 120;
const NOTCH_MS = 16;
const DIRECTIONS = ["up", "down", "up"] as const;
const DIRECTION_MS = 10_000;
/** At 60 frames a second, a later frame means a dropped frame. */
const LATE_MS = 20;

interface Frames {
  at: number[];
  looked: number;
  blank: number;
}

/** Turns the wheel at a constant rate: a late browser gets the accumulated events, as it would from a user. */
async function wheel(page: Page, direction: "up" | "down"): Promise<void> {
  const started = performance.now();
  const turns: Promise<void>[] = [];
  for (let turned = 0; performance.now() - started < DIRECTION_MS; ) {
    for (const due = Math.floor((performance.now() - started) / NOTCH_MS); turned < due; turned += 1) {
      turns.push(page.mouse.wheel(0, direction === "up" ? -NOTCH_PX : NOTCH_PX));
    }
    await Bun.sleep(NOTCH_MS / 2);
  }
  await Promise.all(turns);
}

const firstVisibleId = async (page: Page): Promise<number> =>
  Number(
    await page.evaluate(`(() => {
      const { top } = document.querySelector(".scroller").getBoundingClientRect();
      const rows = [...document.querySelectorAll("article.message")];
      return rows.find((row) => row.getBoundingClientRect().bottom > top).dataset.id;
    })()`),
  );

/** Scrolls up, far down and up again, from the message that `placeIn` names, past `leastPassed` messages each time. */
const scrollingIn = (name: string, leastPassed: number, placeIn: (setup: WebSetup) => string): Case => ({
  name,
  unit: "frames/s",
  servers: ["parley"],
  maxRounds: 3,
  async measure(bench, kind) {
    const setup = await openWebSetup(bench, kind);
    const { server, browser, viewer } = setup;
    await using view = await visit(browser, `${server.url}/#/c/${placeIn(setup)}`, viewer);
    const { page } = view;
    await firstMessage(view);
    await page.locator(".scroller").hover();
    await page.evaluate("parleyProbe.startFrames()");
    const passed: number[] = [];
    const began = await page.evaluate<number>("performance.now()");
    const stopMeasuring = await measureRendererCpu(browser);
    for (const direction of DIRECTIONS) {
      const before = await firstVisibleId(page);
      await wheel(page, direction);
      passed.push(Math.abs((await firstVisibleId(page)) - before));
    }
    const cpu = await stopMeasuring();
    const { at, looked, blank } = (await page.evaluate("parleyProbe.stopFrames()")) as Frames;
    const longTasks = await page.evaluate<{ startTime: number; duration: number }[]>("parleyProbe.longTasks");
    const during = longTasks.filter(({ startTime }) => startTime >= began);
    const seconds = countPerSecond(at);
    const times = intervals(at);
    const faults = passed.some((count) => count < leastPassed)
      ? [`only ${passed.join(", ")} messages were scrolled past`]
      : [];
    return {
      value: median(seconds),
      details: {
        worst_second: Math.min(...seconds),
        late_percent: (100 * times.filter((ms) => ms > LATE_MS).length) / times.length,
        longest_frame_ms: Math.max(...times),
        long_tasks: during.length,
        longest_task_ms: Math.max(0, ...during.map(({ duration }) => duration)),
        renderer_cpu_percent: cpu,
        blank_percent: (100 * blank) / looked,
        messages_passed: passed.reduce((sum, count) => sum + count, 0),
      },
      faults: [...faults, ...view.pageErrors],
    };
  },
});

/** Passes many pages of history. */
export const scrolling = scrollingIn("scrolling 100000 messages", 200, ({ long, middleId }) => `${long}/${middleId}`);
/** Every message has text, a list and a highlighted block of code. */
export const scrollingCode = scrollingIn(
  "scrolling 500 messages with code",
  50,
  ({ code, codeMiddleId }) => `${code}/${codeMiddleId}`,
);
