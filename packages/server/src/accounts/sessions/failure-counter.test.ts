import { expect, test } from "bun:test";
import { stillClock } from "../../../test/support/clock.ts";
import { FailureCounter } from "./failure-counter.ts";

function start(free = 5) {
  const clock = stillClock();
  const counter = new FailureCounter(clock, free);
  const fail = (subject: string, times: number) => {
    for (let i = 0; i < times; i += 1) counter.add(subject);
  };
  return { clock, counter, fail, wait: (subject: string) => counter.waitOf(subject) / 1000 };
}

test("the fifth failure costs a wait, which doubles with each further failure up to a minute", () => {
  const { clock, fail, wait } = start();
  fail("ann", 4);
  expect(wait("ann")).toBe(0);
  const waits: number[] = [];
  for (let i = 0; i < 6; i += 1) {
    fail("ann", 1);
    waits.push(wait("ann"));
    clock.advance(wait("ann") * 1000);
    expect(wait("ann")).toBe(0);
  }
  expect(waits).toEqual([5, 10, 20, 40, 60, 60]);
});

test("the rest of a wait is reported", () => {
  const { clock, fail, wait } = start();
  fail("ann", 6);
  clock.advance(4_000);
  expect(wait("ann")).toBe(6);
});

test("each subject is counted separately and has its own number of free failures", () => {
  const { fail, wait } = start(100);
  fail("one", 100);
  fail("two", 99);
  expect([wait("one"), wait("two"), wait("three")]).toEqual([5, 0, 0]);
});

test("failures are forgotten after 15 minutes, or when they are cleared", () => {
  const { clock, counter, fail, wait } = start();
  fail("ann", 4);
  clock.advance(15 * 60_000);
  fail("ann", 1);
  expect(wait("ann")).toBe(0);
  fail("ann", 3);
  counter.clear("ann");
  fail("ann", 1);
  expect(wait("ann")).toBe(0);
});

test("up to 20,000 subjects are remembered; the one that failed longest ago is forgotten first", () => {
  const { counter, fail, wait } = start(1);
  fail("first", 1);
  fail("second", 1);
  for (let i = 0; i < 19_999; i += 1) counter.add(`other ${i}`);
  expect([wait("first"), wait("second")]).toEqual([0, 5]);
});
