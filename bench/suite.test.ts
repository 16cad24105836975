import { expect, test } from "bun:test";
import { type Measurement, toRow } from "./suite.ts";

const round = (value: number, faults: string[] = []): Measurement => ({ value, details: {}, faults });
const rowOf = (runs: Measurement[]) =>
  toRow({ name: "fan-out" }, { name: "500 sockets", unit: "/s" }, "ejabberd", runs);

test("a row counts the rounds without a figure and the rounds with faults", () => {
  const row = rowOf([
    round(10),
    round(Number.NaN, ["joined 0 of 500"]),
    round(12, ["a message is missing", "another"]),
  ]);
  expect(row.rounds).toEqual({ run: 3, failed: 1, faulty: 2 });
  expect(row.faults).toEqual(["round 2: joined 0 of 500", "round 3: a message is missing", "round 3: another"]);
});

test("a row of failed rounds still tells how many there were after it was stored", () => {
  const failed = rowOf([round(Number.NaN, ["joined 0 of 500"]), round(Number.NaN, ["joined 0 of 500"])]);
  const stored = JSON.parse(JSON.stringify(failed)) as typeof failed;
  expect(stored.rounds).toEqual({ run: 2, failed: 2, faulty: 2 });
});
