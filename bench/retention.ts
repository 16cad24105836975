import { sql } from "kysely";
import { database } from "../packages/server/src/config/database.ts";
import { agedPass } from "../packages/server/src/retention/aged.ts";
import { STEPS_SHARE } from "../packages/server/src/retention/start.ts";
import { Client, cookieOf, startTestServer } from "../packages/server/test/support/servers/test-server.ts";

/**
 * Measures how many messages a second a channel takes while its old messages are removed, and while they are not, in
 * windows that alternate. `bun bench/retention.ts [database URL]`; without one, SQLite in a new folder. A schema of
 * PostgreSQL must be empty. The senders are a process of their own, so that the server has its thread for itself.
 */
const OLD = Number(process.env.BENCH_OLD ?? 40_000);
const WINDOW_MS = 5_000;
const WINDOWS = 6;
const REST_MS = 1_000;
const SENDERS = 16;

if (process.argv[2] === "--send") await send(process.argv[3] ?? "", process.argv[4] ?? "", Number(process.argv[5]));
else await measure(process.argv[2]);

async function send(url: string, cookie: string, channelId: number): Promise<void> {
  let sent = 0;
  setInterval(() => process.stdout.write(`${sent}\n`), 100);
  const client = new Client(url, { cookie });
  const one = async () => {
    for (;;) {
      const { status } = await client.post("/api/messages", {
        channel_id: channelId,
        content: "a message of some words",
      });
      if (status !== 201) throw new Error(`A send answered ${status}.`);
      sent += 1;
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, one));
}

async function measure(url: string | undefined): Promise<void> {
  await using server = await startTestServer({
    rateLimits: "off",
    ...(url === undefined ? {} : { database: database(url) }),
  });
  const { ctx } = server;
  const registered = await server.guest.post("/api/auth/register", {
    username: "ann",
    password: "correct horse battery",
  });
  const cookie = cookieOf(registered);
  const ann = new Client(server.url, { cookie });
  const { channel_id: id } = (await ann.post("/api/channels", { name: "Bench" })).body;
  for (let from = 1; from <= OLD; from += 1_000) {
    const rows = Array.from(
      { length: 1_000 },
      (_, n) => sql`(${id}, ${from + n}, 'text', 'old words here', 'user', 1, 'ann', 0)`,
    );
    await sql`insert into messages (channel_id, seq, type, content, sender_type, user_id, sender_name, created_at) values ${sql.join(rows)}`.execute(
      ctx.db,
    );
  }
  await ctx.db.updateTable("channels").set({ last_seq: OLD }).where("id", "=", id).execute();
  // The server's own pass, which begins after its start, must not find them.
  await Bun.sleep(3_000);
  await ann.put(`/api/channels/${id}`, { retention_days: 1 });
  const load = Bun.spawn([process.execPath, import.meta.path, "--send", server.url, cookie, String(id)], {
    stdout: "pipe",
  });
  let sent = 0;
  void (async () => {
    for await (const text of load.stdout.pipeThrough(new TextDecoderStream()))
      sent = Number(text.trim().split("\n").at(-1));
  })();
  await Bun.sleep(2_000);
  const pass = agedPass(ctx);
  const rates = { quiet: [] as number[], purging: [] as number[] };
  const steps: number[] = [];
  let removed = 0;
  for (let window = 0; window < 2 * WINDOWS; window += 1) {
    const isPurging = window % 2 === 1;
    const [began, before] = [performance.now(), sent];
    while (performance.now() - began < WINDOW_MS) {
      // As the server rests.
      await Bun.sleep(isPurging ? Math.max(REST_MS, (steps.at(-1) ?? 0) / STEPS_SHARE) : REST_MS);
      if (!isPurging) continue;
      const at = performance.now();
      removed += (await pass.next()).value ?? 0;
      steps.push(Math.round(performance.now() - at));
    }
    rates[isPurging ? "purging" : "quiet"].push(Math.round(((sent - before) * 1_000) / (performance.now() - began)));
  }
  load.kill();
  const mean = (all: readonly number[]) => all.reduce((sum, one) => sum + one, 0) / all.length;
  const share = mean(rates.purging) / mean(rates.quiet);
  console.log(
    JSON.stringify({
      dialect: url === undefined ? "sqlite" : "postgres",
      ...rates,
      share: Number(share.toFixed(3)),
      removed,
      stepMs: steps,
    }),
  );
}
