import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { join } from "node:path";
import type { Scenario } from "../../support/cluster/scenario.ts";
import { AckedMessages } from "../../support/faults/acked-messages.ts";
import { problemOfMounting, SmallDisk } from "../../support/faults/small-disk.ts";
import { ChildServer, freePort } from "../../support/servers/child-server.ts";
import { TestSocket } from "../../support/servers/socket.ts";
import { type Answered, Client, eventually, PASSWORD, signUp } from "../../support/servers/test-server.ts";

const RECOVERY_MS = 2_000;

/** Guarantee P19: a full disk refuses writes with a clear error, reads go on, and free space is enough to recover. */
export const fullDisk: Scenario<{ fills: number }> = {
  name: "full-disk",
  title: "a full disk refuses writes with storage_full, answers reads, loses nothing and recovers by itself",
  short: { fills: 3 },
  long: { fills: 100 },
  problem: problemOfMounting,
  async run({ fills }, say) {
    // Until its writes are refused, each fill stores more.
    using disk = new SmallDisk(16 + fills);
    // Each fill tries more registrations and logins than a person may.
    const env = { PARLEY_LOG_LEVEL: "fatal", PARLEY_RATE_LIMITS: "off" };
    await using server = new ChildServer(disk.path, freePort(), env);
    await server.start();
    const ann = await signUp(server.url, "ann");
    using socket = await TestSocket.open(server.url, ann.credential);
    await socket.command("channel:join", { channel_slug: "general" });
    // Its changes get numbers, which would be gaps between the messages of #general.
    await ann.post("/api/channels", { name: "Attic", channel_slug: "attic" });
    const edited: number = (await ann.post("/api/messages", { channel_slug: "attic", content: "edited" })).body
      .message_id;
    const acked = new AckedMessages();
    let sent = 0;
    const send = async (): Promise<Answered> => {
      const key = `m${++sent}`;
      // Short texts after the first fills, so that many fills fit the disk.
      const content = key.padEnd(sent < 500 ? 3_000 : 100, ".");
      const answer = await ann.post("/api/messages", { channel_slug: "general", content, client_msg_id: key });
      if (answer.status === 201) acked.add(key, answer.body.seq);
      return answer;
    };
    for (let fill = 0; fill < fills; fill += 1) {
      for (let n = 0; n < 20; n += 1) expect((await send()).status).toBe(201);
      disk.fill(64 * 1024);
      await refused("a send", async () => {
        const answers = await Promise.all(Array.from({ length: 8 }, send));
        return answers.find(({ status }) => status !== 201) ?? answers[0];
      });
      disk.fill();
      await everyWriteIsRefused(server.url, ann, { fill, edited });
      await readsAreAnswered(server.url, ann, socket);
      disk.free();
      await eventually("writing works again", async () => (await send()).status === 201, RECOVERY_MS);
      await eventually("it is ready", async () => (await ann.get("/readyz")).status === 200, RECOVERY_MS);
      if (fill % 10 === 9) say(`${fill + 1} fills, ${acked.count} messages`);
    }
    const counts = await acked.judge(new Client(server.url));
    expect(await server.end("SIGTERM")).toBe(0);
    using database = new Database(join(disk.path, "parley.sqlite"), { readonly: true });
    expect(database.query("pragma integrity_check").get()).toEqual({ integrity_check: "ok" });
    return { fills, refused: sent - acked.count, ...counts };
  },
};

/** Repeats a write until it is refused. A small write may still fit after a larger one was refused. */
async function refused(what: string, write: (attempt: number) => Promise<Answered | undefined>): Promise<void> {
  let attempts = 0;
  const answer = await eventually(`${what} is refused`, async () => {
    const answer = await write(++attempts);
    return answer === undefined || answer.status < 300 ? null : answer;
  });
  expect([answer.status, answer.body.code]).toEqual([503, "storage_full"]);
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(answer.body.retry_after).toBe(Number(answer.headers.get("retry-after")));
}

interface Targets {
  fill: number;
  /** The message that is edited. */
  edited: number;
}

async function everyWriteIsRefused(url: string, ann: Client, { fill, edited }: Targets): Promise<void> {
  const guest = new Client(url);
  await refused("a registration", (n) =>
    guest.post("/api/auth/register", { username: `new${fill}-${n}`, password: PASSWORD }),
  );
  await refused("a login", () => guest.post("/api/auth/login", { username: "ann", password: PASSWORD }));
  await refused("a channel", (n) => ann.post("/api/channels", { name: `room ${fill} ${n}` }));
  await refused("a change of a profile", (n) =>
    ann.put("/api/user/ann", { current_password: PASSWORD, email: `ann${n}@example.org` }),
  );
  await refused("an edit", (n) => ann.put(`/api/messages/${edited}`, { content: String(n).padEnd(3_000, "x") }));
}

async function readsAreAnswered(url: string, ann: Client, socket: TestSocket): Promise<void> {
  const guest = new Client(url);
  await eventually("it is not ready", async () => {
    const { status, body } = await guest.get("/readyz");
    if (status === 200) return false;
    expect([status, body.code, body.details]).toEqual([503, "not_ready", { reason: "storage_full" }]);
    return true;
  });
  const frame = await eventually("a send over the socket is refused", async () => {
    const answer = await socket.command("message:send", { channel_slug: "general", content: "x".repeat(3_000) });
    return answer.event === "ack" ? null : answer;
  });
  expect(frame.data).toMatchObject({ code: "storage_full", retry_after: expect.any(Number) });
  for (const path of [
    "/api/messages?channel_id=general",
    "/api/messages?channel_id=general&after_seq=0",
    "/api/channels",
    "/api/user/ann",
    "/livez",
  ])
    expect([path, (await ann.get(path)).status]).toEqual([path, 200]);
}
