import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { openBrowser } from "../browser/chromium.ts";
import { fillChannel, withCode } from "../servers/fill.ts";
import { RunningServer, type ServerKind } from "../servers/server.ts";
import type { Bench } from "../suite.ts";

/** The number of users who send, besides the viewer of the page. */
const SENDERS = 8;
/** The number of entries in the channel list. */
const CHANNELS = 20;
export const LONG = 100_000;
const CODE = 500;
const INDEX_TIMEOUT_MS = 600_000;

/** A server with a long channel, and a browser. */
export interface WebSetup {
  server: RunningServer;
  browser: Browser;
  /** The session of the viewer, who is a member of all channels. */
  viewer: string;
  senders: string[];
  /** The channel with 100,000 messages. */
  long: string;
  /** A message in its middle. */
  middleId: number;
  /** A channel with only a few pages. */
  short: string;
  /** The channel with 500 messages with code. */
  code: string;
  codeMiddleId: number;
}

const setups = new WeakMap<Bench, Promise<WebSetup>>();

/** Returns the set-up that all cases of a run share. */
export function openWebSetup(bench: Bench, kind: ServerKind): Promise<WebSetup> {
  const found = setups.get(bench) ?? make(bench, kind);
  setups.set(bench, found);
  return found;
}

/** Creates a folder that is removed with the run. */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `parley-bench-${name}-`));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function make(bench: Bench, kind: ServerKind): Promise<WebSetup> {
  const dataDir = temporaryFolder("web");
  const rooms: string[] = [];
  let cookies: string[];
  {
    await using first = await RunningServer.start(kind, { dataDir });
    cookies = await kind.sessions(first, SENDERS + 1);
    for (let i = 0; i < CHANNELS; i += 1) rooms.push(await kind.createRoom(first));
  }
  const [viewer = "", ...senders] = cookies;
  const [long = "", short = "", code = ""] = rooms;
  const file = join(dataDir, "parley.sqlite");
  const middleId = fillChannel(file, long, LONG);
  fillChannel(file, short, 200);
  const codeMiddleId = fillChannel(file, code, CODE, withCode);
  // The browser needs more than one core, and gets them while the server has little to do.
  const server = bench.keep(await RunningServer.start(kind, { dataDir, pinned: false }));
  await untilIndexed(server, viewer);
  for (const slug of [long, short, code]) await markRead(server, viewer, slug);
  const browser = bench.keep(await openBrowser());
  return { server, browser, viewer, senders, long, middleId, short, code, codeMiddleId };
}

/** Marks a channel as read: the page opens channels with unread messages at the first of these. */
async function markRead(server: RunningServer, cookie: string, slug: string): Promise<void> {
  const answer = await fetch(`${server.url}/api/channels?channel_slug=${slug}`, { headers: { cookie } });
  const { channels } = (await answer.json()) as { channels: { id: number }[] };
  const headers = { "content-type": "application/json", cookie };
  const url = `${server.url}/api/channels/${channels[0]?.id}/read`;
  const read = await fetch(url, { method: "POST", headers, body: "{}" });
  if (!read.ok) throw new Error(`could not mark ${slug} as read: ${read.status}`);
}

/** Waits for the server's background indexing of the inserted messages; nothing is measured during it. */
async function untilIndexed(server: RunningServer, cookie: string): Promise<void> {
  // One of the last links: fillChannel puts the message's number into every twentieth message.
  const query = new URLSearchParams({ q: String(LONG - 13) });
  const deadline = performance.now() + INDEX_TIMEOUT_MS;
  while (performance.now() < deadline) {
    const answer = await fetch(`${server.url}/api/search/messages?${query}`, { headers: { cookie } });
    const { messages } = (await answer.json()) as { messages?: unknown[] };
    if (messages === undefined) throw new Error(`the search failed: ${answer.status}`);
    if (messages.length > 0) return;
    await Bun.sleep(500);
  }
  throw new Error("the index was not built in time");
}
