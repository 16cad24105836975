import { expect, test } from "bun:test";
import { sql } from "kysely";
import { eachDialect } from "../../test/support/databases.ts";
import { ownColumns } from "./inspect.ts";

eachDialect((name, open) => {
  test("the columns of a table are listed, and there are none of a table that does not exist", async () => {
    await using database = await open();
    const { db } = database;
    expect((await ownColumns(db, "meta")).sort()).toEqual(["key", "value"]);
    expect(await ownColumns(db, "no_such_table")).toEqual([]);
  });

  test("a neighbour's table of that name is not seen", async () => {
    if (name === "sqlite") return;
    await using database = await open();
    const { db } = database;
    await sql.raw("create schema neighbour").execute(db);
    try {
      await sql.raw("create table neighbour.theirs (id integer)").execute(db);
      expect(await ownColumns(db, "theirs")).toEqual([]);
    } finally {
      await sql.raw("drop schema neighbour cascade").execute(db);
    }
  });
});
