import { expect, test } from "bun:test";
import { eachDialect } from "../../../test/support/databases.ts";
import { delistPaid, findPaid, findRemoved, forgetRemoved, insertPaid, readRemoved } from "./paid.store.ts";

const THING = {
  ...{ slug: "a", path: "/api/paid/a", description: null, media_type: "text/plain", size_bytes: 3 },
  ...{ amount: "5", currency: "ETH", chain: "evm" as const, chain_id: 1, created_by: "ann", created_at: 1 },
};

eachDialect((_, open) => {
  test("a delisted offer is kept with its time until it is forgotten", async () => {
    await using database = await open();
    const { db } = database;
    const bytes = (text: string) => Buffer.from(text);
    for (const [text, at] of [
      ["one", 10],
      ["two", 20],
    ] as const) {
      expect(await insertPaid(db, { ...THING, body: bytes(text) })).toBeTrue();
      expect(await delistPaid(db, "a", at)).toBeTrue();
    }
    expect([await findPaid(db, "a"), await delistPaid(db, "a", 30)]).toEqual([undefined, false]);
    const textAt = async (at: number) => {
      const found = await readRemoved(db, THING.path, at);
      return found === undefined ? undefined : Buffer.from(found.body).toString();
    };
    expect([await textAt(9), await textAt(10), await textAt(11), await textAt(21)]).toEqual([
      "one",
      "one",
      "two",
      undefined,
    ]);
    expect(await findRemoved(db, THING.path)).toMatchObject({ amount: "5", chain_id: 1, removed_at: 20 });
    await forgetRemoved(db, 20);
    expect(await textAt(0)).toBe("two");
    await forgetRemoved(db, 21);
    expect(await findRemoved(db, THING.path)).toBeUndefined();
  });
});
