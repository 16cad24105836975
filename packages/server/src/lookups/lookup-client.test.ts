import { expect, test } from "bun:test";
import { stillClock } from "../../test/support/clock.ts";
import { type Answering, AnsweringServer, answer } from "../../test/support/servers/answering-server.ts";
import { eventually } from "../../test/support/servers/test-server.ts";
import { createLog } from "../logging/log.ts";
import { LookupClient } from "./lookup-client.ts";

const quiet = createLog({ level: "silent", readable: false });

test("eight requests run, sixteen wait, and further ones are refused; all waiting ones are sent", async () => {
  await using server = await AnsweringServer.start();
  const held: ((answering: Answering) => void)[] = [];
  const found = answer({ status: 200, body: {} });
  server.answering = (socket, asked) => {
    if (asked.target === "/another") found(socket, asked);
    else held.push((answering) => answering(socket, asked));
  };
  // None times out.
  const client = () => new LookupClient({ clock: stillClock(), log: quiet }, 60_000);
  const api = { name: "test", origin: server.url, headers: {} };
  const one = client();
  const codes = Array.from({ length: 25 }, () =>
    one
      .ask(api, (get) => get("/"))
      .then(
        () => "answered",
        (error: unknown) => (error as { code: string }).code,
      ),
  );
  expect(await codes[24]).toBe("overloaded");
  await eventually("eight requests are there", () => held.length === 8);
  // Requests sent after them arrive, and no ninth of theirs.
  await client().ask(api, (get) => get("/another"));
  expect(held).toHaveLength(8);
  for (let answered = 0; answered < 24; answered += 1) {
    await eventually("the next request is there", () => held.length > answered);
    held[answered]?.(answered < 8 ? answer({ status: 500 }) : found);
  }
  expect(await Promise.all(codes.slice(0, 8))).toEqual(Array(8).fill("social_lookup_failed"));
  expect(await Promise.all(codes.slice(8, 24))).toEqual(Array(16).fill("answered"));
  expect(server.asked).toHaveLength(25);
});

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
