import { expect, test } from "bun:test";
import { AnsweringServer, answer, sayNothing } from "../../test/support/answering-server.ts";
import { stillClock } from "../../test/support/clock.ts";
import { eventually } from "../../test/support/test-server.ts";
import { createLog } from "../log.ts";
import { LookupClient } from "./lookup-client.ts";

const quiet = createLog({ level: "silent", readable: false });

test("eight ask at once, sixteen wait, the next is told to come back; those that waited get their turn", async () => {
  await using server = await AnsweringServer.start();
  server.answering = sayNothing;
  const client = new LookupClient({ clock: stillClock(), log: quiet }, 300);
  const api = { name: "test", origin: server.url, headers: {} };
  const codes = Array.from({ length: 25 }, () =>
    client
      .ask(api, (get) => get("/"))
      .then(
        () => "answered",
        (error: unknown) => (error as { code: string }).code,
      ),
  );
  expect(await codes[24]).toBe("overloaded");
  await eventually("eight requests are there", () => server.asked.length === 8);
  await codes[0];
  server.answering = answer({ status: 200, body: {} });
  const others = await Promise.all(codes.slice(16, 24));
  expect(others).toEqual(Array(8).fill("answered"));
  expect(server.asked).toHaveLength(24);
});

test("nobody listens: a failure, within the time", async () => {
  const server = await AnsweringServer.start();
  await server[Symbol.asyncDispose]();
  const client = new LookupClient({ clock: stillClock(), log: quiet });
  const asked = client.ask({ name: "test", origin: server.url, headers: {} }, (get) => get("/"));
  await expect(asked).rejects.toMatchObject({ code: "social_lookup_failed", retryAfter: undefined });
});

test("a path that leads away from the API is not asked", async () => {
  await using server = await AnsweringServer.start();
  const client = new LookupClient({ clock: stillClock(), log: quiet });
  const api = { name: "test", origin: "http://127.0.0.1:1", headers: { authorization: "Bearer secret" } };
  for (const path of [`${server.url}/x`, `//${server.url.slice("http://".length)}/x`]) {
    await expect(client.ask(api, (get) => get(path))).rejects.toMatchObject({ code: "social_lookup_failed" });
  }
  expect(server.asked).toEqual([]);
});

test("a mistake of ours is no failure of the network's", async () => {
  const client = new LookupClient({ clock: stillClock(), log: quiet });
  const asked = client.ask({ name: "test", origin: "http://127.0.0.1:1", headers: {} }, () => {
    throw new TypeError("ours");
  });
  await expect(asked).rejects.toThrow("ours");
});
