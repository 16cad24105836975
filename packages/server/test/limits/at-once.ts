import { expect, test } from "bun:test";
import { ERRORS } from "@parley/protocol/errors";
import type { Config } from "../../src/config/config.ts";
import { ACCOUNT_LIMIT_ROWS } from "./account-limit-rows.ts";
import { AT_ONCE, LIMIT_ROWS, type Scene } from "./limit-rows.ts";
import { SETUP_LIMIT_ROWS } from "./setup-limit-rows.ts";
import { VALUE_LIMIT_ROWS } from "./value-limit-rows.ts";

const ROWS = [...LIMIT_ROWS, ...ACCOUNT_LIMIT_ROWS, ...VALUE_LIMIT_ROWS, ...SETUP_LIMIT_ROWS];
/** Limits that another test reaches at once. */
const ELSEWHERE = ["passkey_limit_reached"];

/** Every limit that an error names has a row. */
export function testRowsAreComplete(): void {
  test("every limit that an error names is reached at once", () => {
    const named = Object.keys(ERRORS).filter((code) => /_limit_reached$|^quota_reached$|_exhausted$/.test(code));
    const reached = new Set([...ROWS.map(({ code }) => code), ...ELSEWHERE]);
    expect(named.filter((code) => !reached.has(code))).toEqual([]);
  });
}

/** Sends each limit's last permitted act many times at once, in this scene. */
export function testEachLimit(scene: () => Scene): void {
  test.each(ROWS.map((row) => [row.name, row] as const))("%s: exactly one passes", async (_, row) => {
    const act = await row.prepare(scene());
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => act(n)));
    const { isPermitted = ({ status }) => status < 300 } = row;
    const passed = answers.filter((answer) => isPermitted(answer));
    const codes = new Set(answers.filter((answer) => !isPermitted(answer)).map(({ body }) => body.code));
    expect([passed.length, [...codes]]).toEqual([1, [row.code]]);
  });
}

/** Returns a scene on these servers; acts go to each in turn. */
export function sceneOn(servers: readonly Scene["server"][]): Scene {
  const [server] = servers;
  if (server === undefined) throw new Error("There is no server.");
  let people = 0;
  return {
    server,
    servers,
    urls: servers.map(({ url }) => url),
    async person() {
      const username = `person${++people}`;
      return Object.assign(await server.user(username), { username });
    },
  };
}

/** Settings under which only the limit of a row refuses. */
export const SETTINGS: Partial<Config> = { rateLimits: "off", egressAllow: ["127.0.0.0/8"], fileQuotaMib: 1 };
