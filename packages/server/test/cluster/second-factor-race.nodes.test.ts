import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { challengeOf, setUpApp } from "../support/authenticator-app.ts";
import { stillDate } from "../support/clock.ts";
import { type Nodes, startNodes } from "../support/cluster/start-nodes.ts";
import { Client, signUp } from "../support/servers/test-server.ts";

/** A code counts once, whichever nodes hear it at the same time. */
describe("one code on three nodes", () => {
  const clock = stillDate();
  let cluster: Nodes;
  beforeAll(async () => {
    cluster = await startNodes(3, { bus: "memory", config: { rateLimits: "off" }, overrides: { clock } });
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  test("logs in exactly once, over as many challenges as there are nodes", async () => {
    const urls = cluster.nodes.map(({ url }) => url);
    for (let round = 0; round < 5; round++) {
      const username = `ann${round}`;
      const app = await setUpApp(await signUp(urls[0] ?? "", username), clock);
      for (const code of [app.code(), app.code(1), app.recoveryCodes[0] ?? ""]) {
        const challenges = await Promise.all(urls.map((url) => challengeOf(new Client(url), username)));
        const answers = await Promise.all(
          urls.map((url, n) => new Client(url).post("/api/auth/second-factor", { challenge_id: challenges[n], code })),
        );
        expect(answers.map(({ body }) => body.code ?? "in").sort()).toEqual(["in", "wrong_code", "wrong_code"]);
      }
    }
  });

  test("answers one challenge exactly once, and counts every wrong try", async () => {
    const urls = cluster.nodes.map(({ url }) => url);
    const app = await setUpApp(await signUp(urls[0] ?? "", "bob"), clock);
    const challenge_id = await challengeOf(new Client(urls[0] ?? ""), "bob");
    const send = (code: string) =>
      Promise.all(urls.map((url) => new Client(url).post("/api/auth/second-factor", { challenge_id, code })));
    const wrong = [...(await send("aaaa")), ...(await send("aaaa"))].map(
      ({ body }) => body.details?.tries_left ?? body.code,
    );
    expect(wrong.sort()).toEqual([0, 1, 2, 3, 4, "challenge_expired"]);
    const next = await challengeOf(new Client(urls[1] ?? ""), "bob");
    const right = await Promise.all(
      urls.map((url) => new Client(url).post("/api/auth/second-factor", { challenge_id: next, code: app.code() })),
    );
    expect(right.map(({ body }) => body.code ?? "in").sort()).toEqual(["challenge_expired", "challenge_expired", "in"]);
  });
});
