import { expect, test } from "bun:test";
import { type Health, shownHealth } from "../../src/admin/health.ts";

const NOTHING = {
  messages_per_second: [],
  requests_per_second: [],
  sockets: [],
  commit_ms: [],
  event_loop_lag_ms: [],
  cpu_percent: [],
  memory_mib: [],
  refusals_per_second: [],
};

const of = (id: string | null, at: number): Health => ({
  answer: { success: true, node: id === null ? null : { id, name: id, nodes: 2 }, sample_seconds: 10, series: NOTHING },
  at,
});

test("a lone server's newest answer is shown", () => {
  expect(shownHealth(of(null, 0), of(null, 5)).at).toBe(5);
});

test("answers of different nodes are not mixed, until the shown one is silent", () => {
  let shown = shownHealth(null, of("a", 0));
  shown = shownHealth(shown, of("b", 2_000));
  expect(shown).toEqual(of("a", 0));
  shown = shownHealth(shown, of("a", 4_000));
  expect(shown).toEqual(of("a", 4_000));
  expect(shownHealth(shown, of("b", 33_999))).toEqual(of("a", 4_000));
  expect(shownHealth(shown, of("b", 34_000))).toEqual(of("b", 34_000));
});
