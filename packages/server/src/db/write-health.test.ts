import { describe, expect, test } from "bun:test";
import { stillClock } from "../../test/support/clock.ts";
import { eachDialect } from "../../test/support/databases.ts";
import { ManualScheduler } from "../base/scheduler.ts";
import { isStorageFull } from "./database.ts";
import { probeWrite, WriteHealth } from "./write-health.ts";

const FULL = Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });

/** Records the probes of a database that fails when the test says so. */
function asked() {
  const clock = stillClock();
  const state = { error: null as Error | null, probes: 0, said: [] as string[] };
  const say = (_: unknown, text?: string) => void state.said.push(text ?? "");
  const tell = (fields: unknown, text?: string) => void state.said.push(`${text} ${JSON.stringify(fields)}`);
  const scheduler = new ManualScheduler();
  const health = new WriteHealth({
    clock,
    scheduler,
    log: { warn: say, info: tell },
    async probe() {
      state.probes += 1;
      if (state.error !== null) throw state.error;
    },
    problemOf: (error) => (isStorageFull(error) ? "storage_full" : undefined),
  });
  /** Advances the clock and runs what falls due. */
  const pass = async (ms: number) => {
    clock.advance(ms);
    scheduler.advance(ms);
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  };
  return { clock, scheduler, state, health, pass };
}

const told = (refused: number, seconds: number) =>
  `the database works again {"refused":${refused},"seconds":${seconds}}`;

describe("a database outage", () => {
  test("is logged once, and ends when a probe succeeds and no write failed in between", async () => {
    const { state, health, scheduler, pass } = asked();
    for (const _outage of [1, 2]) {
      state.error = FULL;
      expect([health.refused(), health.refused()]).toEqual([true, false]);
      await pass(1_000);
      expect(await health.problem()).toBe("storage_full");
      state.error = null;
      await pass(999);
      expect(health.refused()).toBeFalse();
      await pass(1);
      expect([state.said.pop(), scheduler.waiting]).toEqual([told(3, 2), 0]);
      await pass(60_000);
    }
    expect(state.said).toEqual(["the database takes no writes", "the database takes no writes"]);
  });

  test("continues while probes succeed but writes fail", async () => {
    const { state, health, pass } = asked();
    health.refused();
    for (let second = 0; second < 3; second++) {
      const passing = pass(1_000);
      expect(health.refused()).toBeFalse();
      await passing;
    }
    expect(state.said).toEqual([]);
    await pass(1_000);
    expect(state.said).toEqual([told(4, 4)]);
  });

  test("is not probed after the monitor was stopped", async () => {
    const { state, health, pass } = asked();
    health.refused();
    health.stop();
    await pass(10_000);
    expect(state.probes).toBe(0);
  });
});

describe("the check for a writable database", () => {
  test("probes once in 10 s, however many ask", async () => {
    const { clock, state, health } = asked();
    const ask = () => Promise.all([health.problem(), health.problem(), health.problem()]);
    for (const [passed, probes] of [
      [0, 1],
      [9_999, 1],
      [1, 2],
      [0, 2],
    ] as const) {
      clock.advance(passed);
      expect([await ask(), state.probes]).toEqual([[null, null, null], probes]);
    }
    expect(state.said).toEqual([]);
  });

  test("probes again after a second while writes fail", async () => {
    const { clock, state, health } = asked();
    await health.problem();
    state.error = FULL;
    health.refused();
    clock.advance(999);
    expect(await health.problem()).toBeNull();
    clock.advance(1);
    expect(await health.problem()).toBe("storage_full");
    clock.advance(999);
    state.error = null;
    expect(await health.problem()).toBe("storage_full");
    clock.advance(1);
    expect(await health.problem()).toBeNull();
    clock.advance(9_999);
    await health.problem();
    expect(state.probes).toBe(3);
    expect(state.said).toEqual(["the database takes no writes", told(1, 2)]);
  });

  test("returns false for any error", async () => {
    const { clock, state, health } = asked();
    state.error = new Error("cannot execute INSERT in a read-only transaction");
    expect(await health.problem()).toBe("storage_unavailable");
    clock.advance(1_000);
    state.error = FULL;
    expect(await health.problem()).toBe("storage_full");
    expect(state.said).toHaveLength(1);
  });
});

eachDialect((_, open) => {
  test("writes to a single row", async () => {
    await using database = await open();
    const keys = async () =>
      (await database.db.selectFrom("meta").select("key").execute()).map(({ key }) => key).sort();
    const before = await keys();
    for (let n = 0; n < 3; n += 1) await probeWrite(database.db, n);
    expect(await keys()).toEqual([...before, "write_probe"].sort());
  });
});
