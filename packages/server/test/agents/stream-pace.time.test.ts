import { expect, test } from "bun:test";
import { openFreshSqlite } from "../support/databases.ts";
import { eventually } from "../support/servers/test-server.ts";
import { STREAMS, streamScene, textOf } from "../support/stream-scene.ts";

/** For this long an agent appends as fast as it can. */
const WRITING_MS = 600;

test("streams are sent to readers at most ten times a second", async () => {
  await using scene = await streamScene(openFreshSqlite);
  const { server, room, begin, append, joined } = scene;
  const { slug } = await room();
  const { socket } = await joined(slug);
  using _ = socket;
  const id = await begin(slug);
  const began = performance.now();
  for (let offset = 0; performance.now() - began < WRITING_MS; offset += 1) await append(id, offset, "x");
  const deltas = () => socket.frames.filter(({ event }) => event === "stream:delta");
  const { length } = (await server.guest.get(`${STREAMS}/${id}`)).body.stream;
  await eventually("all arrives", () => textOf(deltas()).length === length);
  const seconds = (performance.now() - began) / 1_000;
  expect(deltas().length).toBeLessThanOrEqual(Math.ceil(seconds * 10) + 1);
  expect(deltas().length).toBeGreaterThan(1);
});
