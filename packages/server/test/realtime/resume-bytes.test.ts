import { expect, test } from "bun:test";
import { eachDatabase } from "../support/databases.ts";
import { putMessages } from "../support/put-messages.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { startTestServer } from "../support/servers/test-server.ts";

/** The longest possible message. */
const LONG = "\u{1f600}".repeat(4_000);

eachDatabase((_, open) => {
  test("a socket that resumes over long messages reads no more of them than a response can hold", async () => {
    let rowsRead = 0;
    const database = await open();
    const db = database.db.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        rowsRead += result.rows.length;
        return result;
      },
    });
    const { dialect } = database;
    const counted = { ...database, db, dialect, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
    await using server = await startTestServer({}, { database: counted });
    await putMessages(
      server.ctx,
      Array.from({ length: 600 }, () => ({ content: LONG })),
    );
    using socket = await TestSocket.open(server.url);
    await socket.command("channel:join", { channel_slug: "general" });
    rowsRead = 0;
    const { epoch } = server.ctx;
    const { data } = await socket.command("channel:join", { channel_slug: "general", after_seq: 1, epoch });
    expect([data.recovered, data.last_seq]).toEqual([false, 600]);
    expect(rowsRead).toBeLessThan(150);
  });
});
