import { expect, test } from "bun:test";
import { type RoomChange, RoomView } from "./view.ts";

const change = (version: number, guests: number): RoomChange => ({
  version,
  count: 0,
  guests,
  joined: [],
  left: [],
  updated: [],
  isTruncated: false,
});
const state = (version: number, guests: number) => ({ version, count: 0, guests, users: [] });

test("a reading that is older than an applied change does not undo it", () => {
  const view = new RoomView();
  view.load(state(7, 3));
  expect(view.offer(change(8, 2))).toHaveLength(1);
  view.load(state(7, 3));
  expect([view.version, view.guests, view.isBehind]).toEqual([8, 2, false]);
});

test("an old reading does not end the search for a missing change", () => {
  const view = new RoomView();
  view.load(state(7, 3));
  view.offer(change(9, 1));
  view.load(state(6, 4));
  expect([view.guests, view.isBehind]).toEqual([3, true]);
  view.load(state(8, 2));
  expect([view.version, view.guests, view.isBehind]).toEqual([9, 1, false]);
});

test("a reading of a server that has lost its data replaces everything", () => {
  const view = new RoomView();
  view.load(state(20_000, 3));
  view.load(state(0, 0));
  expect([view.version, view.guests]).toEqual([0, 0]);
});
