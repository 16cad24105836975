import { expect, test } from "bun:test";
import { RATES } from "@parley/protocol/limits";
import { stillClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { startTestServer } from "../support/servers/test-server.ts";
import { CLAIM, codeFor, LOOK } from "./scene.ts";

const NOTHING = { code: "0000-0000-0000" };
const AT_ONCE = 50;

eachDatabase((_, open) => {
  test("a network tries ten codes a minute: of 50 tries at once, one more passes, and the right code waits, too", async () => {
    await using server = await startTestServer(
      { rateFactor: 1, trustedProxies: ["127.0.0.1"] },
      { database: await open() },
    );
    const from = (address: string) => ({ headers: { "x-forwarded-for": address } });
    const attempt = (path: string) => server.guest.post(path, NOTHING, from("192.0.2.1"));
    for (let n = 1; n < RATES.setupTry.quota; n++)
      expectError(await attempt(n % 2 ? CLAIM : LOOK), 404, "setup_code_not_found");
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => attempt(n % 2 ? CLAIM : LOOK)));
    expect(answers.filter(({ body }) => body.code === "setup_code_not_found")).toHaveLength(1);
    expect(answers.filter(({ body }) => body.code === "rate_limited")).toHaveLength(AT_ONCE - 1);
    const code = await codeFor(await server.newUser(), "Waits");
    expectError(await server.guest.post(CLAIM, { code }, from("192.0.2.1")), 429, "rate_limited");
    expect((await server.guest.post(CLAIM, { code }, from("198.51.100.1"))).status).toBe(201);
  });

  test("a network tries 60 codes an hour", async () => {
    const clock = stillClock();
    await using server = await startTestServer(
      { rateFactor: 1, trustedProxies: ["127.0.0.1"] },
      { database: await open(), clock, quotaClock: clock },
    );
    const attempt = () => server.guest.post(CLAIM, NOTHING, { headers: { "x-forwarded-for": "192.0.2.1" } });
    let permitted = 0;
    for (let minute = 0; minute < 8; minute++) {
      for (let n = 0; n < RATES.setupTry.quota; n++) if ((await attempt()).status === 404) permitted += 1;
      clock.advance(60_000);
    }
    // The quota of an hour refills by one a minute.
    expect(permitted).toBeWithin(RATES.setupTryHour.quota, RATES.setupTryHour.quota + 8);
  });

  test("the server tries 1,000 codes an hour, whatever the networks", async () => {
    await using server = await startTestServer(
      { rateFactor: 1, trustedProxies: ["127.0.0.1"] },
      { database: await open() },
    );
    const attempt = (n: number) =>
      server.guest.post(CLAIM, NOTHING, { headers: { "x-forwarded-for": `10.${n >> 8}.${n & 255}.1` } });
    for (let at = 0; at < RATES.setupTryAll.quota - 1; at += 37)
      await Promise.all(
        Array.from({ length: Math.min(37, RATES.setupTryAll.quota - 1 - at) }, (_, n) => attempt(at + n)),
      );
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => attempt(2_000 + n)));
    expect(answers.filter(({ body }) => body.code === "setup_code_not_found")).toHaveLength(1);
    expect(answers.filter(({ body }) => body.code === "rate_limited")).toHaveLength(AT_ONCE - 1);
  });
});
