import { expect, test } from "bun:test";
import { eachDialect } from "../../../test/support/databases.ts";
import { Prepared } from "./prepared.ts";

const AT = 1_000;

const INSERT = new Prepared((db, of: { username: string; at: number }) =>
  db
    .insertInto("users")
    .values({
      username: of.username,
      username_key: of.username,
      password_hash: "",
      invite_code: of.username,
      created_at: of.at,
      updated_at: of.at,
    })
    .onConflict((conflict) => conflict.doNothing()),
);
const SELECT = new Prepared((db, of: { before: number; name: string }) =>
  db
    .selectFrom("users")
    .select(["username", "created_at"])
    .where("username", "<>", of.name)
    .where("created_at", "<", of.before)
    .where("password_hash", "=", "")
    .where((eb) => eb.or([eb("username", "<>", of.name), eb("username", "=", "nobody")]))
    .orderBy("username"),
);
const RENAME = new Prepared((db, of: { from: string; to: string | null }) =>
  db
    .updateTable("users")
    .set({ evm_address: of.to })
    .where("username", "=", of.from)
    .returning(["username", "evm_address"]),
);

eachDialect((_, open) => {
  test("values are bound in the order of their names, repeated or not, beside constant values", async () => {
    await using database = await open();
    const { db } = database;
    for (const username of ["ann", "bob", "cat"]) expect(await INSERT.changes(db, { username, at: AT })).toBe(1);
    expect(await INSERT.changes(db, { username: "ann", at: AT })).toBe(0);
    expect(await SELECT.all(db, { name: "ann", before: AT + 1 })).toEqual([
      { username: "bob", created_at: AT },
      { username: "cat", created_at: AT },
    ]);
    expect(await SELECT.first(db, { name: "bob", before: AT + 1 })).toEqual({ username: "ann", created_at: AT });
    expect(await SELECT.first(db, { name: "bob", before: AT })).toBeUndefined();
    expect(await RENAME.first(db, { from: "cat", to: "0xCat" })).toEqual({ username: "cat", evm_address: "0xCat" });
    expect(await RENAME.first(db, { from: "cat", to: null })).toEqual({ username: "cat", evm_address: null });
  });

  test("a prepared query runs in the transaction it is given", async () => {
    await using database = await open();
    const { db } = database;
    const undone = db.transaction().execute(async (trx) => {
      await INSERT.changes(trx, { username: "ann", at: AT });
      throw new Error("undone");
    });
    await expect(undone).rejects.toThrow("undone");
    expect(await SELECT.all(db, { name: "", before: AT + 1 })).toEqual([]);
  });

  test("a query whose text depends on a value is refused when it is prepared", async () => {
    await using database = await open();
    const { db } = database;
    const known = new Prepared((db, of: { name: string }) =>
      db.selectFrom("users").select("id").where("username", "=", `${of.name}!`),
    );
    await expect(known.first(db, { name: "ann" })).rejects.toThrow('"name" is not known');
    const spread = new Prepared((db, of: { username: string }) => db.updateTable("users").set({ ...of }));
    await expect(spread.changes(db, { username: "ann" })).rejects.toThrow("name each");
  });
});
