import { expect, test } from "bun:test";
import { endOf } from "../../src/profile/status-end.ts";

const local = (text: string) => new Date(text).toISOString();

test.each([
  ["hour", "2026-11-25T10:30:00", "2026-11-25T11:30:00"],
  ["hours", "2026-11-25T22:30:00", "2026-11-26T02:30:00"],
  ["today", "2026-11-30T23:59:59", "2026-12-01T00:00:00"],
  ["week", "2026-11-23T00:00:00", "2026-11-30T00:00:00"],
  ["week", "2026-11-25T10:30:00", "2026-11-30T00:00:00"],
  ["week", "2026-11-29T23:00:00", "2026-11-30T00:00:00"],
] as const)("a status that lasts %s from %s ends at %s", (end, now, expected) => {
  expect(endOf(end, new Date(now))).toBe(local(expected));
});

test("a status can last for ever", () => expect(endOf("never", new Date())).toBeNull());
