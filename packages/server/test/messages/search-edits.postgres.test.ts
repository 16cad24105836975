import { expect, test } from "bun:test";
import { transact } from "../../src/db/transact.ts";
import { messagesOfSpans } from "../../src/search/index/indexing.store.ts";
import { indexSpans, searchConsumer } from "../../src/search/index/message-index.ts";
import { openMigratedPlace } from "../support/databases.ts";
import { startTestServer } from "../support/servers/test-server.ts";

test("an edit that commits while the index reads the old text is found at once, and stays found", async () => {
  await using place = await openMigratedPlace();
  await using server = await startTestServer({ database: { kind: "postgres", url: place.url } });
  const ann = await server.user("ann");
  const { message_id } = (await ann.post("/api/messages", { channel_slug: "general", content: "first edition" })).body;
  await searchConsumer(server.ctx).flush();
  const spans = [{ channelId: 1, after: 0, upTo: 1 }];
  const found = async () => (await ann.get("/api/search/messages?q=printing")).body.messages.length;
  await transact(server.ctx, (ctx) =>
    indexSpans(ctx, spans, async (db) => {
      const rows = await messagesOfSpans(db, spans);
      expect(rows.map(({ content }) => content)).toEqual(["first edition"]);
      // On another connection.
      expect((await ann.put(`/api/messages/${message_id}`, { content: "second printing" })).status).toBe(200);
      expect(await found()).toBe(1);
      return rows;
    }),
  );
  expect(await found()).toBe(1);
});
