import { afterEach, beforeAll, beforeEach, expect } from "bun:test";
import type { Browser } from "playwright-core";
import { startTestServer, type TestServer } from "../../../server/test/support/servers/test-server.ts";
import { sharedBrowser } from "./browser.ts";
import { ChatVisit } from "./chat-visit.ts";
import { Visits } from "./visits.ts";

/** Long enough to start a browser on a busy machine. */
const SLOW_MS = 60_000;

/** The pages of each test. */
export interface VisitsWorld {
  /** The pages of the running test. */
  readonly visits: Visits;
  /** Disposes an object after the test, when its pages are closed. */
  hold<T extends AsyncDisposable>(each: T): T;
}

/** Also a server for each test. */
export interface ServerWorld extends VisitsWorld {
  readonly server: TestServer;
  /** Opens the chat and waits until it is live. */
  open(options?: Parameters<typeof ChatVisit.open>[2]): Promise<ChatVisit>;
}

/**
 * Sets up, within a `describe`, new pages for each of its tests. A test fails if a page logs
 * an error. `refused`: statuses that the tests provoke and the browser therefore logs.
 */
export function eachVisits(refused: readonly number[] = [], { needsPush = false } = {}): VisitsWorld {
  let browser: Browser;
  let visits: Visits;
  const held: AsyncDisposable[] = [];
  const isProvoked = (line: string) => refused.some((status) => line.includes(`status of ${status}`));
  beforeAll(async () => {
    browser = await sharedBrowser({ needsPush });
  }, SLOW_MS);
  beforeEach(() => {
    visits = new Visits(browser);
  });
  afterEach(async () => {
    await visits.leave();
    for (const each of held.splice(0)) await each[Symbol.asyncDispose]();
    expect(visits.complaints().filter((line) => !isProvoked(line))).toEqual([]);
  });
  return {
    get visits() {
      return visits;
    },
    hold(each) {
      held.push(each);
      return each;
    },
  };
}

/** The same with a server for each test, started before the tests' own `beforeEach`. */
export function eachServer(
  start: () => Promise<TestServer> = startTestServer,
  refused: readonly number[] = [],
  options: { needsPush?: boolean } = {},
): ServerWorld {
  const world = eachVisits(refused, options);
  let server: TestServer;
  beforeEach(async () => {
    server = world.hold(await start());
  });
  return {
    get visits() {
      return world.visits;
    },
    get server() {
      return server;
    },
    hold: world.hold,
    open: (options = {}) => ChatVisit.open(world.visits, server.url, options),
  };
}
