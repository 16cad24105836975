import { expect, test } from "bun:test";
import { sql } from "kysely";
import { writeImport } from "../../src/imports/write/write.ts";
import { openFreshPostgres } from "../support/databases.ts";
import { memoryStage, sourceChannel, sourceMessage, sourceUser } from "../support/imports/memory-stage.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";

/** SQLite has one writer, and no lock of a table. */
test("messages are sent while an import waits for a transaction that has sent one", async () => {
  await using server = await startTestServer({ rateLimits: "off" }, { database: await openFreshPostgres() });
  const { ctx } = server;
  const ann = await server.newUser();
  const stage = memoryStage({
    users: [sourceUser("U1")],
    channels: [sourceChannel("C1", { memberIds: ["U1"] })],
    messages: [sourceMessage("m1")],
  });
  const other = await ctx.db.startTransaction().execute();
  await sql`lock table messages in row exclusive mode`.execute(other);
  const written = writeImport(ctx, stage, { format: "slack", fingerprint: "f" });
  await eventually("the import waits for the lock", async () => {
    const { rows } = await sql`
      select 1 from pg_locks where relation = 'messages'::regclass and not granted`.execute(other);
    return rows.length > 0;
  });
  expect((await ann.post("/api/messages", { channel_slug: "general", content: "hello" })).status).toBe(201);
  await other.rollback().execute();
  expect((await written).counts.messages.taken).toBe(1);
});
