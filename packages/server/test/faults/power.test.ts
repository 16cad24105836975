import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../support/config.ts";
import { startTestServer } from "../support/servers/test-server.ts";

/**
 * Guarantees P2, as far as it can be tested without cutting the power: when a message is acknowledged, it is in the
 * files. A copy of the database and log taken then opens as after a power loss. The scenario power-loss, which traces the
 * process, tests that it was synced.
 */
const MOMENTS = 50;
const WRITERS = 8;

test(`at ${MOMENTS} moments under ${WRITERS} writers the files hold all acknowledged messages`, async () => {
  await using server = await startTestServer();
  const ann = await server.user("ann");
  const acked = new Map<string, number>();
  let isOver = false;
  let wake = (): void => {};
  const writing = Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      for (let n = 0; !isOver; n++) {
        const key = `w${writer}-${n}`;
        const { status, body } = await ann.post("/api/messages", {
          channel_slug: "general",
          content: key,
          client_msg_id: key,
        });
        expect(status).toBe(201);
        acked.set(key, body.seq);
        wake();
      }
    }),
  );
  const images = temporaryFolder();
  const file = join(server.config.dataDir, "parley.sqlite");
  let checked = 0;
  for (let moment = 0; moment < MOMENTS; moment++) {
    // Moments other than those right after a batch: after one, two, … acknowledgements.
    for (let acks = 0; acks <= moment % 5; acks++) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    const expected = new Map(acked);
    const folder = join(images, String(moment));
    mkdirSync(folder);
    // The server is in this process and does not run during the copy, so the copies are of one moment.
    copyFileSync(file, join(folder, "parley.sqlite"));
    copyFileSync(`${file}-wal`, join(folder, "parley.sqlite-wal"));
    using image = new Database(join(folder, "parley.sqlite"));
    const rows = image
      .query<{ client_msg_id: string; seq: number }, []>("select client_msg_id, seq from messages")
      .all();
    const stored = new Map(rows.map(({ client_msg_id, seq }) => [client_msg_id, seq]));
    for (const [key, seq] of expected) expect([key, stored.get(key)]).toEqual([key, seq]);
    expect(rows.map(({ seq }) => seq).sort((a, b) => a - b)).toEqual(rows.map((_, index) => index + 1));
    if (moment % 10 === 0) expect(image.query("pragma integrity_check").get()).toEqual({ integrity_check: "ok" });
    checked += expected.size;
  }
  isOver = true;
  await writing;
  expect(acked.size).toBeGreaterThan(MOMENTS);
  console.log(JSON.stringify({ moments: MOMENTS, acked: acked.size, checked, lost: 0 }));
});
