import { afterAll, afterEach, beforeAll, beforeEach, expect } from "bun:test";
import type { Browser } from "playwright-core";
import { startTestServer, type TestServer } from "../../../server/test/support/servers/test-server.ts";
import { openBrowser } from "./browser.ts";
import { ChatVisit } from "./chat-visit.ts";
import { Visits } from "./visits.ts";

/** A browser begins and ends on a busy machine, too. */
const SLOW_MS = 60_000;

/** Pages of each test's own. */
export interface VisitsWorld {
  /** Those of the test that runs. */
  readonly visits: Visits;
  /** Ends with the test, after the pages that speak to it. */
  hold<T extends AsyncDisposable>(each: T): T;
}

/** A server of each test's own besides. */
export interface ServerWorld extends VisitsWorld {
  readonly server: TestServer;
  /** Opens the chat and waits until it is live. */
  open(options?: Parameters<typeof ChatVisit.open>[2]): Promise<ChatVisit>;
}

/**
 * Within a `describe`: one browser for its tests, and for each of them pages of its own, which may complain of nothing. `refused`: statuses
 * the tests provoke; refusals are answers like others, but the browser writes each into its console.
 */
export function eachVisits(refused: readonly number[] = []): VisitsWorld {
  let browser: Browser;
  let visits: Visits;
  const held: AsyncDisposable[] = [];
  const isProvoked = (line: string) => refused.some((status) => line.includes(`status of ${status}`));
  beforeAll(async () => {
    browser = await openBrowser();
  }, SLOW_MS);
  afterAll(() => browser.close(), SLOW_MS);
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

/** The same with a server for each test, started before the `beforeEach` of the tests themselves. */
export function eachServer(
  start: () => Promise<TestServer> = startTestServer,
  refused: readonly number[] = [],
): ServerWorld {
  const world = eachVisits(refused);
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
