import { expect, test } from "bun:test";
import { stillClock } from "../../test/support/clock.ts";
import { AnsweringServer } from "../../test/support/servers/answering-server.ts";
import { createLog } from "../logging/log.ts";
import { LookupClient } from "./lookup-client.ts";

const quiet = createLog({ level: "silent", readable: false });

test("an unreachable network is a failure within the time limit", async () => {
  // A port that was closed may belong to another program a moment later; this one belongs to none.
  const client = new LookupClient({ clock: stillClock(), log: quiet });
  const asked = client.ask({ name: "test", origin: "http://127.0.0.1:1", headers: {} }, (get) => get("/"));
  await expect(asked).rejects.toMatchObject({ code: "social_lookup_failed", retryAfter: undefined });
});

test("a path that leads away from the API is not requested", async () => {
  await using server = await AnsweringServer.start();
  const client = new LookupClient({ clock: stillClock(), log: quiet });
  const api = { name: "test", origin: "http://127.0.0.1:1", headers: { authorization: "Bearer secret" } };
  for (const path of [`${server.url}/x`, `//${server.url.slice("http://".length)}/x`]) {
    await expect(client.ask(api, (get) => get(path))).rejects.toMatchObject({ code: "social_lookup_failed" });
  }
  expect(server.asked).toEqual([]);
});

test("a mistake in the request does not count as a failure of the network", async () => {
  const client = new LookupClient({ clock: stillClock(), log: quiet });
  const asked = client.ask({ name: "test", origin: "http://127.0.0.1:1", headers: {} }, () => {
    throw new TypeError("ours");
  });
  await expect(asked).rejects.toThrow("ours");
});
