import { readFileSync } from "node:fs";
import { type Browser, type CDPSession, chromium, type Page } from "playwright-core";

/** The browser without its windows, as in the tests: those of the full one take two thirds of the time. */
const EXECUTABLE = "/usr/bin/chromium-headless-shell";
const PROBE = readFileSync(new URL("probe.js", import.meta.url), "utf8");
const FIRST_MESSAGE_MS = 30_000;
const VIEWPORT = { width: 1280, height: 800 };

/**
 * Launches Debian's Chromium, headless. It renders in software: the measurements are an upper bound for a machine with
 * a graphics card.
 */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: EXECUTABLE,
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
  });
}

/** A resource that a page has loaded. */
export interface LoadedResource {
  kind: string;
  path: string;
  /** Bytes on the wire, including the headers. */
  bytes: number;
}

/** A page that has its own cache, storage and process, and has been sent to a URL. */
export interface Visit extends AsyncDisposable {
  page: Page;
  cdp: CDPSession;
  /** The resources loaded so far. */
  loaded: LoadedResource[];
  /** Errors and warnings of the page. */
  pageErrors: string[];
}

/** How a page is slowed down: ms for each round trip, bytes a second each way, and how many times slower its CPU is. */
export interface Slowness {
  latency: number;
  throughput: number;
  cpu: number;
}

/** A mid-range phone on a mobile network. */
export const SLOW_PHONE: Slowness = { latency: 80, throughput: 500_000, cpu: 4 };
/** The same phone where reception is bad, as on a train. */
export const SLOW_3G: Slowness = { latency: 400, throughput: 50_000, cpu: 4 };

async function slowDown(cdp: CDPSession, { latency, throughput, cpu }: Slowness): Promise<void> {
  await cdp.send("Network.emulateNetworkConditions", {
    offline: false,
    latency,
    downloadThroughput: throughput,
    uploadThroughput: throughput,
  });
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: cpu });
}

/** Opens a URL as a new visitor: with an empty cache and no stored data except the session. */
export async function visit(browser: Browser, url: string, cookie: string, slowness?: Slowness): Promise<Visit> {
  const context = await browser.newContext({ viewport: VIEWPORT });
  const [name = "", value = ""] = cookie.split("=");
  await context.addCookies([{ name, value, url: new URL(url).origin }]);
  await context.addInitScript(PROBE);
  const page = await context.newPage();
  const pageErrors: string[] = [];
  page.on("pageerror", (error) => pageErrors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") pageErrors.push(message.text());
  });
  const cdp = await context.newCDPSession(page);
  const loaded = await recordResources(cdp);
  if (slowness !== undefined) await slowDown(cdp, slowness);
  await page.goto(url, { waitUntil: "commit" });
  return { page, cdp, loaded, pageErrors, [Symbol.asyncDispose]: () => context.close() };
}

async function recordResources(cdp: CDPSession): Promise<LoadedResource[]> {
  const loaded: LoadedResource[] = [];
  const asked = new Map<string, { kind: string; path: string }>();
  cdp.on("Network.responseReceived", ({ requestId, type, response }) => {
    asked.set(requestId, { kind: type, path: new URL(response.url).pathname });
  });
  cdp.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const request = asked.get(requestId);
    if (request !== undefined) loaded.push({ ...request, bytes: encodedDataLength });
  });
  await cdp.send("Network.enable");
  return loaded;
}

/** Returns the milliseconds from the start of the navigation until a message has been drawn. */
export async function firstMessage({ page, pageErrors }: Visit): Promise<number> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error(`no message was drawn. ${pageErrors.join("; ")}`)), FIRST_MESSAGE_MS).unref();
  });
  return await Promise.race([page.evaluate<number>("parleyProbe.firstMessage"), late]);
}

interface Renderer {
  id: number;
  cpuTime: number;
}

/** Returns the renderer processes, busiest first. */
async function renderers(browser: Browser): Promise<Renderer[]> {
  const cdp = await browser.newBrowserCDPSession();
  const { processInfo } = await cdp.send("SystemInfo.getProcessInfo");
  await cdp.detach();
  return processInfo.filter(({ type }) => type === "renderer").toSorted((a, b) => b.cpuTime - a.cpuTime);
}

/** Returns the id of the process that renders the open page. */
export async function rendererPid(browser: Browser): Promise<number> {
  const [busiest] = await renderers(browser);
  if (busiest === undefined) throw new Error("no page is open");
  return busiest.id;
}

/**
 * Starts measuring the CPU use of the renderer processes; the returned function stops and returns percent of a core.
 */
export async function measureRendererCpu(browser: Browser): Promise<() => Promise<number>> {
  const seconds = async () => (await renderers(browser)).reduce((sum, { cpuTime }) => sum + cpuTime, 0);
  const [before, started] = [await seconds(), performance.now()];
  return async () => (100_000 * ((await seconds()) - before)) / (performance.now() - started);
}
