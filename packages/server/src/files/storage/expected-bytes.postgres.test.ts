import { expect, test } from "bun:test";
import { onPostgres, openMigratedPlace } from "../../../test/support/databases.ts";
import { systemClock } from "../../clock.ts";
import { readSnapshot } from "../../db/snapshot.ts";
import { expectedBytes } from "./expected-bytes.ts";

test("a neighbour's schema that is dropped meanwhile does not disturb the doctor, and its files are not ours", async () => {
  await using place = await openMigratedPlace();
  const neighbour = "expected_bytes_neighbour";
  await onPostgres(`drop schema if exists ${neighbour} cascade`);
  await onPostgres(`create schema ${neighbour}`);
  await onPostgres(`create table ${neighbour}.file_blobs (id integer)`);
  const seen = await readSnapshot({ kind: "postgres", url: place.url }, systemClock, async (db) => {
    // The snapshot begins with this query, so it shows the neighbour's table to the end.
    await db.selectFrom("meta").select("key").execute();
    await onPostgres(`drop schema ${neighbour} cascade`);
    return expectedBytes(db);
  });
  expect([seen.needed.size, seen.known.size]).toEqual([0, 0]);
});
