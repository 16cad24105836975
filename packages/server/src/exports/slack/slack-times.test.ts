import { expect, test } from "bun:test";
import { dayOf, SlackTimes } from "./slack-times.ts";

const AT = Date.UTC(2024, 1, 29, 23, 59, 59, 999);
const row = (id: number, seq: number, created_at = AT, thread: string | null = "{}") => ({
  id,
  seq,
  created_at,
  thread,
});

test("a ts has the time to the millisecond, and the last digits of seq", () => {
  const times = new SlackTimes();
  expect(times.next(row(1, 41))).toBe(`${Math.floor(AT / 1000)}.999041`);
  expect(times.of(row(1, 41))).toBe(`${Math.floor(AT / 1000)}.999041`);
});

test("it ascends where many messages have one time, and roots keep theirs", () => {
  const times = new SlackTimes();
  const rows = Array.from({ length: 2_500 }, (_, at) => row(at + 1, at + 998));
  const given = rows.map((each) => times.next(each));
  expect(new Set(given).size).toBe(rows.length);
  expect(given.toSorted((one, other) => Number(one) - Number(other))).toEqual(given);
  expect(rows.map((each) => times.of(each))).toEqual(given);
});

test("a day is that of UTC", () => {
  expect(dayOf(new SlackTimes().next(row(1, 1)))).toBe("2024-02-29");
  expect(dayOf(new SlackTimes().next(row(1, 1, AT + 1)))).toBe("2024-03-01");
});
