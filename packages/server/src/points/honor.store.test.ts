import { expect, test } from "bun:test";
import { testContext } from "../../test/support/context.ts";
import { eachDialect } from "../../test/support/databases.ts";
import { putMessages } from "../../test/support/put-messages.ts";
import { countMessages } from "./honor.store.ts";

/** More than one statement holds. */
const MANY = 70;

eachDialect((_name, open) => {
  test("a user's messages in many ranges are counted together, with the times of the first and the last", async () => {
    await using db = await open();
    const ctx = testContext(db);
    const { id: room } = await db.db.selectFrom("channels").select("id").orderBy("id").executeTakeFirstOrThrow();
    const users = [9, 8];
    const written = Array.from({ length: 2 * MANY }, (_, at) => ({ user_id: users[at % 2], created_at: 1_000 + at }));
    await putMessages(ctx, [...written, { user_id: null }]);
    const spans = Array.from({ length: MANY }, (_, at) => ({ channelId: room, after: 2 * at, upTo: 2 * at + 2 }));
    expect(await countMessages(db.db, spans)).toEqual([
      { userId: 8, count: MANY, first: 1_001, last: 1_000 + 2 * MANY - 1 },
      { userId: 9, count: MANY, first: 1_000, last: 1_000 + 2 * MANY - 2 },
    ]);
    expect(await countMessages(db.db, [{ channelId: room, after: 2 * MANY, upTo: 2 * MANY + 1 }])).toEqual([]);
    expect(await countMessages(db.db, [])).toEqual([]);
  });
});
