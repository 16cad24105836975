import { describe, expect, test } from "bun:test";
import { openPlace } from "../../../test/support/databases.ts";
import { systemClock } from "../../clock.ts";
import { openDatabase } from "../database.ts";
import { readConnections } from "./connections.ts";

describe("PostgreSQL's limit of connections", () => {
  test("is read with the connections that are open", async () => {
    await using place = await openPlace();
    await using database = await openDatabase({ kind: "postgres", url: place.url }, systemClock, { mode: "tool" });
    const { limit, open } = await readConnections(database.db);
    expect(open).toBeGreaterThanOrEqual(1);
    expect(limit).toBeGreaterThanOrEqual(open);
  });
});
