import { expect, spyOn, test } from "bun:test";
import { testContext } from "../../../test/support/context.ts";
import { eachDatabase } from "../../../test/support/databases.ts";
import { putMessages } from "../../../test/support/put-messages.ts";
import { searchIndex } from "../../db/search-index/index-of-database.ts";
import { charactersOfSpans, messagesOfSpans } from "./indexing.store.ts";
import { indexMessages } from "./message-index.ts";

/** How much is indexed at a time. */
eachDatabase((_name, open) => {
  test("the transcripts of voice notes count, as the texts do", async () => {
    await using database = await open();
    const ctx = testContext(database);
    const text = "東".repeat(10_000);
    const files = JSON.stringify([{ name: "note.webm", alt_text: null, voice: { transcript: { text } } }]);
    await putMessages(
      ctx,
      Array.from({ length: 14 }, () => ({ content: "", files })),
    );
    const spans = [{ channelId: 1, after: 0, upTo: 14 }];
    const characters = await charactersOfSpans(ctx.db, spans);
    expect(characters).toBeGreaterThanOrEqual(14 * text.length);
    expect(characters).toBeLessThan(15 * text.length);
    const put = spyOn(searchIndex(ctx.db), "put").mockImplementation(async () => {});
    try {
      await indexMessages(ctx, await messagesOfSpans(ctx.db, spans));
      expect(put.mock.calls.map(([, messages]) => messages.length)).toEqual([7, 7]);
    } finally {
      put.mockRestore();
    }
  });
});
