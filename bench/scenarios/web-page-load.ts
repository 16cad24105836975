import {
  firstMessage,
  type LoadedResource,
  openBrowser,
  SLOW_3G,
  SLOW_PHONE,
  type Slowness,
  visit,
} from "../browser/chromium.ts";
import { RunningServer } from "../servers/server.ts";
import { median } from "../statistics.ts";
import type { Case } from "../suite.ts";
import { openWebSetup, temporaryFolder } from "./web-setup.ts";

const KB = 1000;

const bytesOf = (loaded: readonly LoadedResource[], kind: string): number =>
  loaded.filter((file) => file.kind === kind).reduce((sum, { bytes }) => sum + bytes, 0);

/** Opens the long channel repeatedly, each time as a new visitor. */
const repeatedOpening = (name: string, openings: number, slowness?: Slowness): Case => ({
  name,
  unit: "ms",
  servers: ["parley"],
  async measure(bench, kind) {
    const { server, browser, viewer, long } = await openWebSetup(bench, kind);
    const times: number[] = [];
    const faults: string[] = [];
    for (let i = 0; i <= openings; i += 1) {
      await using page = await visit(browser, `${server.url}/#/c/${long}`, viewer, slowness);
      const ms = await firstMessage(page);
      // The first visit only warms up the server and the browser.
      if (i > 0) times.push(ms);
      faults.push(...page.pageErrors);
    }
    return { value: median(times), details: { worst_ms: Math.max(...times), best_ms: Math.min(...times) }, faults };
  },
});

export const opening = repeatedOpening("first message, warm server", 10);
export const slowOpening = repeatedOpening("first message, slow phone", 5, SLOW_PHONE);
export const slowestOpening = repeatedOpening("first message, slow 3G", 2, SLOW_3G);

/** Opens the first page of a new server in a new browser. */
export const firstOpening: Case = {
  name: "first message, fresh server",
  unit: "ms",
  servers: ["parley"],
  maxRounds: 3,
  async measure(_bench, kind) {
    await using server = await RunningServer.start(kind, { dataDir: temporaryFolder("web-first"), pinned: false });
    const [viewer = ""] = await kind.sessions(server, 1);
    const room = await kind.createRoom(server);
    const sent = await fetch(`${server.url}/api/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie: viewer },
      body: JSON.stringify({ channel_slug: room, content: "The first message." }),
    });
    if (!sent.ok) throw new Error(`could not send: ${sent.status}`);
    await using browser = await openBrowser();
    await using page = await visit(browser, `${server.url}/#/c/${room}`, viewer);
    const value = await firstMessage(page);
    await using again = await visit(browser, `${server.url}/#/c/${room}`, viewer);
    return { value, details: { second_ms: await firstMessage(again) }, faults: page.pageErrors };
  },
};

/** Sums up the compressed size of all scripts that the chat loads. */
export const script: Case = {
  name: "script on the wire",
  unit: "KB",
  servers: ["parley"],
  maxRounds: 1,
  async measure(bench, kind) {
    const { server, browser, viewer, long } = await openWebSetup(bench, kind);
    await using page = await visit(browser, `${server.url}/#/c/${long}`, viewer);
    await firstMessage(page);
    await page.page.waitForLoadState("load");
    const { loaded } = page;
    const scripts = loaded.filter(({ kind }) => kind === "Script");
    const html = await (await fetch(server.url)).text();
    const unpacked = await Promise.all(
      scripts.map(async ({ path }) => {
        const answer = await fetch(server.url + path, { headers: { "accept-encoding": "identity" } });
        return (await answer.arrayBuffer()).byteLength;
      }),
    );
    return {
      value: bytesOf(loaded, "Script") / KB,
      details: {
        scripts: scripts.length,
        // The scripts that the page names; the others are loaded by these when they are needed.
        first_kb:
          bytesOf(
            scripts.filter(({ path }) => html.includes(path)),
            "Script",
          ) / KB,
        unpacked_kb: unpacked.reduce((sum, bytes) => sum + bytes, 0) / KB,
        style_kb: bytesOf(loaded, "Stylesheet") / KB,
        all_kb: loaded.reduce((sum, { bytes }) => sum + bytes, 0) / KB,
        requests: loaded.length,
      },
      faults: scripts.length === 0 ? ["no script was loaded"] : page.pageErrors,
    };
  },
};
