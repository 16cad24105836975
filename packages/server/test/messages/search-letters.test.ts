import { describe, expect, test } from "bun:test";
import { searchIndex } from "../../src/db/search-index/index-of-database.ts";
import { FORMER_SEARCH_CURSORS, SEARCH_CURSORS } from "../../src/db/search-index/search-index.ts";
import { searchConsumer } from "../../src/search/index/message-index.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { sayId } from "../support/say.ts";
import { ask, found } from "../support/search.ts";
import { startTestServer } from "../support/servers/test-server.ts";

eachDatabase(async (_name, open) => {
  const server = await forAllTests(startTestServer({ rateLimits: "off" }, { database: await open() }));
  const ann = await server.user("ann");
  const bob = await server.user("bob");

  const room = async () => (await newChannel(ann)).id;

  const indexed = () => searchConsumer(server.ctx).flush();

  describe("a search", () => {
    test("finds letters with strokes and ligatures by their base letters, and symbols by what they mean", async () => {
      const id = await room();
      const pairs: [string, string][] = [
        ["Łódź", "lodz"],
        ["København", "kobenhavn"],
        ["đường", "duong"],
        ["Œuvre", "oeuvre"],
        ["Æsir", "aesir"],
        ["GROẞE", "grosse"],
        ["5㎏", "kg"],
        ["№ one", "no"],
      ];
      for (const [text] of pairs) await sayId(bob, id, text);
      await indexed();
      for (const [text, query] of pairs) expect(await found(ann, { q: query, channel_id: id })).toEqual([text]);
      for (const [text] of pairs) expect(await found(ann, { q: text, channel_id: id })).toEqual([text]);
    });

    test("messages that the release before has indexed are indexed again", async () => {
      const id = await room();
      await sayId(bob, id, "Łukasz");
      await indexed();
      const { db } = server.ctx;
      await db.deleteFrom("channel_cursors").where("purpose", "=", SEARCH_CURSORS).execute();
      const cursor = { purpose: FORMER_SEARCH_CURSORS, channel_id: id, seq: 1_000 };
      await db.insertInto("channel_cursors").values(cursor).execute();
      await searchIndex(db).remove(
        db,
        (await db.selectFrom("messages").select("id").execute()).map(({ id }) => id),
      );
      expect(await found(ann, { q: "lukasz", channel_id: id })).toEqual([]);
      await indexed();
      expect(await found(ann, { q: "lukasz", channel_id: id })).toEqual(["Łukasz"]);
    });

    test.each(["2016-12-31T23:59:60Z", "2017-01-01T00:59:60+01:00"])("refuses the leap second %s", async (time) => {
      const id = await room();
      for (const field of ["since", "until"])
        expectError(await ask(ann, { q: "hello", channel_id: id, [field]: time }), 400, "invalid_request");
      expectError(
        await ann.get(`/api/messages?channel_id=${id}&since=${encodeURIComponent(time)}`),
        400,
        "invalid_cursor",
      );
    });
  });
});
