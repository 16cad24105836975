import { expect, test } from "bun:test";
import { stillClock } from "../../test/support/clock.ts";
import type { AppContext } from "../context.ts";
import type { AppError } from "../errors.ts";
import { checkSlowDown, noteFailure, noteSuccess } from "./slow-down.ts";

function start() {
  const clock = stillClock();
  const ctx = { clock, slots: new Map() } as unknown as AppContext;
  Object.assign(ctx, { root: ctx });
  /** Seconds the name is told to wait; 0: it may try. */
  const wait = (name: string): number => {
    try {
      checkSlowDown(ctx, name);
      return 0;
    } catch (error) {
      expect((error as AppError).code).toBe("rate_limited");
      return (error as AppError).retryAfter ?? Number.NaN;
    }
  };
  return { ctx, clock, wait };
}

test("four failures cost nothing, from the fifth on the wait doubles up to five minutes, and then it is open again", () => {
  const { ctx, clock, wait } = start();
  for (let i = 0; i < 4; i += 1) noteFailure(ctx, "ann");
  expect(wait("ann")).toBe(0);
  const waits: number[] = [];
  for (let i = 0; i < 8; i += 1) {
    noteFailure(ctx, "ann");
    waits.push(wait("ann"));
    clock.advance(wait("ann") * 1000);
    expect(wait("ann")).toBe(0);
  }
  expect(waits).toEqual([5, 10, 20, 40, 80, 160, 300, 300]);
});

test("the wait told is what is left of it", () => {
  const { ctx, clock, wait } = start();
  for (let i = 0; i < 6; i += 1) noteFailure(ctx, "ann");
  expect(wait("ann")).toBe(10);
  clock.advance(4_500);
  expect(wait("ann")).toBe(6);
});

test("names are slowed down one by one, whatever their case", () => {
  const { ctx, wait } = start();
  for (let i = 0; i < 5; i += 1) noteFailure(ctx, i % 2 === 0 ? "Ann" : "aNN");
  expect(wait("ann")).toBe(5);
  expect(wait("bob")).toBe(0);
});

test("failures older than 15 minutes and those before a success do not count", () => {
  const { ctx, clock, wait } = start();
  for (let i = 0; i < 4; i += 1) noteFailure(ctx, "ann");
  clock.advance(15 * 60_000);
  noteFailure(ctx, "ann");
  expect(wait("ann")).toBe(0);
  for (let i = 0; i < 3; i += 1) noteFailure(ctx, "ann");
  noteSuccess(ctx, "ann");
  noteFailure(ctx, "ann");
  expect(wait("ann")).toBe(0);
});
