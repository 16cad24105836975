import type { CDPSession, Page } from "playwright-core";
import { firstMessage, measureRendererCpu, rendererPid, type Visit, visit } from "../browser/chromium.ts";
import { corpus } from "../corpus.ts";
import type { ConstantRateResult } from "../load/jobs.ts";
import { residentBytes } from "../procfs.ts";
import { intervals, linearGrowth, median, percentile } from "../statistics.ts";
import type { Bench, Case } from "../suite.ts";
import { openWebSetup, type WebSetup } from "./web-setup.ts";

const PER_SECOND = 200;
const KEYS = 200;
/** Ten letters a second: a fast typist. */
const KEY_MS = 100;
const SAMPLES = 20;
const MB = 2 ** 20;

/** Runs `during` while several users send 200 messages a second to the short channel; returns the load's faults. */
async function withTraffic<T>(
  bench: Bench,
  { server, senders, short }: WebSetup,
  runMs: number,
  during: () => Promise<T>,
): Promise<{ result: T; sent: ConstantRateResult }> {
  const contents = [...corpus(2_000)].map(({ content }) => content);
  await bench.load.run({
    kind: "open",
    port: server.port,
    protocol: "parley",
    cookies: senders,
    concurrency: 8,
    probes: 1,
  });
  await bench.load.run({ kind: "join", room: short });
  const [sent, result] = await Promise.all([
    bench.load.run({ kind: "constant-rate", room: short, contents, perSecond: PER_SECOND, runMs }),
    during(),
  ]);
  await bench.load.run({ kind: "close" });
  return { result, sent };
}

/** Checks that the page shows the newest message of the channel. Returns a fault if it does not. */
async function missingMessageFaults({ page }: Visit, { server, viewer, short }: WebSetup): Promise<string[]> {
  const answer = await fetch(`${server.url}/api/messages?channel_slug=${short}&limit=1`, {
    headers: { cookie: viewer },
  });
  const { messages } = (await answer.json()) as { messages: { id: number }[] };
  const newest = messages.at(-1)?.id;
  try {
    await page.locator(`article.message[data-id="${newest}"]`).waitFor({ timeout: 5_000 });
    return [];
  } catch {
    return [`the page does not show the newest message, ${newest}`];
  }
}

function sendFaults({ sent, seconds, faults }: ConstantRateResult): string[] {
  const pace = sent / seconds;
  return pace < PER_SECOND * 0.98 ? [...faults, `only ${pace.toFixed(0)} messages a second were sent`] : faults;
}

async function typeLetters(page: Page): Promise<void> {
  const started = performance.now();
  const keys: Promise<void>[] = [];
  for (let typed = 0; typed < KEYS; typed += 1) {
    await Bun.sleep(Math.max(0, started + typed * KEY_MS - performance.now()));
    keys.push(page.keyboard.press("abcdefghij klmnop"[typed % 17] ?? "x"));
  }
  await Promise.all(keys);
}

/** A user types while 200 messages a second arrive in the open channel. */
export const typing: Case = {
  name: `typing, ${PER_SECOND} messages/s`,
  unit: "ms p95",
  servers: ["parley"],
  maxRounds: 3,
  async measure(bench, kind) {
    const setup = await openWebSetup(bench, kind);
    await using view = await visit(setup.browser, `${setup.server.url}/#/c/${setup.short}`, setup.viewer);
    const { page } = view;
    await firstMessage(view);
    await page.locator("textarea#text").fill("");
    const { result: cpu, sent } = await withTraffic(bench, setup, KEYS * KEY_MS + 4_000, async () => {
      await Bun.sleep(2_000);
      await page.evaluate("parleyProbe.startKeys()");
      await page.evaluate("parleyProbe.startFrames()");
      const stopMeasuring = await measureRendererCpu(setup.browser);
      await typeLetters(page);
      return await stopMeasuring();
    });
    const { at } = await page.evaluate<{ at: number[] }>("parleyProbe.stopFrames()");
    const keys = await page.evaluate<{ ms: number; isThere: boolean }[]>("parleyProbe.keys");
    const interactions = await page.evaluate<number[]>("parleyProbe.interactions");
    const allTasks = await page.evaluate<{ startTime: number; duration: number }[]>("parleyProbe.longTasks");
    const longTasks = allTasks.filter(({ startTime }) => startTime >= (at[0] ?? 0));
    const times = keys.map(({ ms }) => ms);
    // Interactions below 16 ms are not reported.
    const events = [...Array.from({ length: KEYS - interactions.length }, () => 16), ...interactions];
    const missing = keys.filter(({ isThere }) => !isThere).length + KEYS - keys.length;
    return {
      value: percentile(times, 0.95),
      details: {
        p50_ms: median(times),
        worst_ms: Math.max(...times),
        event_timing_p50_ms: median(events),
        event_timing_p95_ms: percentile(events, 0.95),
        event_timing_worst_ms: Math.max(...events),
        renderer_cpu_percent: cpu,
        frames_per_second: 1000 / median(intervals(at)),
        long_tasks: longTasks.length,
        longest_task_ms: Math.max(0, ...longTasks.map(({ duration }) => duration)),
      },
      faults: [
        ...sendFaults(sent),
        ...(missing > 0 ? [`${missing} letters were not drawn`] : []),
        ...(await missingMessageFaults(view, setup)),
        ...view.pageErrors,
      ],
    };
  },
};

interface Sample {
  heapMb: number;
  residentMb: number;
  nodes: number;
  listeners: number;
}

/** Collects garbage, then returns the memory use of the page. */
async function takeSample(cdp: CDPSession, pid: number): Promise<Sample> {
  await cdp.send("HeapProfiler.collectGarbage");
  const { usedSize } = await cdp.send("Runtime.getHeapUsage");
  const { nodes, jsEventListeners } = await cdp.send("Memory.getDOMCounters");
  return { heapMb: usedSize / MB, residentMb: residentBytes(pid) / MB, nodes, listeners: jsEventListeners };
}

/** Memory of the page while 200 messages a second arrive in the open channel, over `--minutes`. */
export const memory: Case = {
  name: `memory, ${PER_SECOND} messages/s`,
  unit: "MB grown",
  servers: ["parley"],
  maxRounds: 1,
  async measure(bench, kind) {
    const setup = await openWebSetup(bench, kind);
    await using view = await visit(setup.browser, `${setup.server.url}/#/c/${setup.short}`, setup.viewer);
    await firstMessage(view);
    const { watchMs } = bench.settings;
    // All bounded buffers are full after the first part: 600 messages, 2,000 events.
    const warmMs = 20_000;
    const { result: samples, sent } = await withTraffic(bench, setup, warmMs + watchMs, async () => {
      await Bun.sleep(warmMs);
      const pid = await rendererPid(setup.browser);
      const taken: Sample[] = [];
      for (let i = 0; i < SAMPLES; i += 1) {
        taken.push(await takeSample(view.cdp, pid));
        await Bun.sleep(watchMs / SAMPLES);
      }
      return taken;
    });
    const of = (what: keyof Sample) => samples.map((sample) => sample[what]);
    return {
      value: linearGrowth(of("heapMb")),
      details: {
        minutes: watchMs / 60_000,
        messages: sent.sent,
        heap_mb_first: samples[0]?.heapMb ?? Number.NaN,
        heap_mb_last: samples.at(-1)?.heapMb ?? Number.NaN,
        heap_mb_most: Math.max(...of("heapMb")),
        resident_mb_first: samples[0]?.residentMb ?? Number.NaN,
        resident_mb_last: samples.at(-1)?.residentMb ?? Number.NaN,
        nodes_most: Math.max(...of("nodes")),
        nodes_grown: linearGrowth(of("nodes")),
        listeners_most: Math.max(...of("listeners")),
        listeners_grown: linearGrowth(of("listeners")),
      },
      faults: [...sendFaults(sent), ...(await missingMessageFaults(view, setup)), ...view.pageErrors],
    };
  },
};
