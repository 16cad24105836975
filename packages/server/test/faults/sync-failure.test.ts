import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../support/config.ts";
import { problemOfTracing } from "../support/faults/disk-trace.ts";
import { ChildServer, freePort } from "../support/servers/child-server.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { signUp } from "../support/servers/test-server.ts";

/**
 * A disk that refuses to sync (guarantees P2): nothing is acknowledged or shown from then on, the process exits by
 * itself, and the next one recovers what was acknowledged.
 */
const WRITERS = 4;
const GOOD_SYNCS = 60;

const problem = problemOfTracing();
if (problem !== null)
  console.error(`\n!! No call can be made to fail, the tests of failing disks are SKIPPED (${problem})\n`);
if (problem !== null && (process.env.CI === "true" || process.env.PARLEY_REQUIRE_SERVICES === "1"))
  test("a system call can be made to fail", () => expect(problem).toBeNull());

/** After this many syncs of a thread, all of them fail. */
const failing = (after: number): string[] => [
  "strace",
  ...["-D", "-f", "--seccomp-bpf", "-o", "/dev/null", "-e", "trace=fsync,fdatasync"],
  ...["-e", `inject=fsync,fdatasync:error=EIO:when=${after}+`, "--"],
];

describe.skipIf(problem !== null)("a disk that refuses to sync", () => {
  test("ends the server, and every acknowledged or pushed message is stored", async () => {
    const folder = temporaryFolder();
    const port = freePort();
    const told = await tellUntilItEnds(folder, port);
    expect(told.size).toBeGreaterThan(0);
    await using server = new ChildServer(folder, port);
    await server.start();
    using database = new Database(join(folder, "parley.sqlite"), { readonly: true });
    const rows = database.query<{ content: string; seq: number }, []>("select content, seq from messages").all();
    const stored = new Map(rows.map(({ content, seq }) => [content, seq]));
    for (const [key, seq] of told) expect([key, stored.get(key)]).toEqual([key, seq]);
  }, 60_000);
});

/**
 * Lets writers write until the server ends. Returns the messages, with their numbers, that were acknowledged or shown
 * to a listener.
 */
async function tellUntilItEnds(folder: string, port: number): Promise<Map<string, number>> {
  await using server = new ChildServer(folder, port, { PARLEY_RATE_LIMITS: "off" }, { around: failing(GOOD_SYNCS) });
  await server.start();
  const ann = await signUp(server.url, "ann");
  using socket = await TestSocket.open(server.url);
  await socket.command("channel:join", { channel_slug: "general" });
  const told = new Map<string, number>();
  const write = async (writer: number): Promise<void> => {
    for (let n = 0; ; n++) {
      const content = `${writer}-${n}`;
      const answer = await ann.post("/api/messages", { channel_slug: "general", content }).catch(() => null);
      if (answer?.status !== 201) return expect(answer === null || answer.status >= 500).toBe(true);
      told.set(content, answer.body.seq);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  expect(await server.ended()).toBe(1);
  await socket.closed;
  for (const { event, data } of socket.frames)
    if (event === "message:new") told.set(data.chat_message.content, data.chat_message.seq);
  return told;
}
