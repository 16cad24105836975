import { expect, test } from "bun:test";
import type { Channel } from "@parley/protocol/models";
import { fitOf, rankEntries, switchEntries } from "../../src/navigation/switch-entries.ts";

let id = 0;
const channel = (name: string, more: Partial<Channel> = {}): Channel => {
  id += 1;
  const slug = name.toLowerCase().replaceAll(" ", "-");
  return { id, name, channel_slug: slug, direct_with: null, my_role: "member", unread_count: 0, ...more } as Channel;
};
const direct = (peer: string, more: Partial<Channel> = {}) => channel("direct", { direct_with: peer, ...more });

const general = channel("general");
const release = channel("Release Train", { unread_count: 4 });
const kitchen = channel("Kitchen", { my_role: null, unread_count: null });
const ben = direct("Ben");
const all = [general, release, kitchen, ben];
const people = [
  { kind: "user", name: "ben" },
  { kind: "user", name: "renata" },
  { kind: "user", name: "ana" },
  { kind: "agent", name: "Release Bot" },
] as const;
const entries = switchEntries(all, people, "ana");
const names = (typed: string, recent: readonly number[] = []) =>
  rankEntries(entries, typed, recent).map(({ name }) => name);

test("a person with a conversation is offered once, and oneself never", () => {
  expect(entries.map(({ key }) => key)).toEqual([
    `channel ${general.id}`,
    `channel ${release.id}`,
    `channel ${kitchen.id}`,
    "user ben",
    "user renata",
    "agent release bot",
  ]);
});

test("a name fits by its beginning, then by a word, then by a part, then by letters in order, without case and accents", () => {
  expect(fitOf("Release Train", "rel")).toBe(0);
  expect(fitOf("Release Train", "TRA")).toBe(1);
  expect(fitOf("Release Train", "ease")).toBe(2);
  expect(fitOf("Release Train", "rtn")).toBe(3);
  expect(fitOf("Release Train", "x")).toBeNull();
  expect(fitOf("Éclair", "ec")).toBe(0);
  expect(fitOf("开发讨论", "讨论")).toBe(2);
  expect(fitOf("anything", "")).toBe(0);
});

test("what fits better is first, then what is unread, then what was open lately", () => {
  expect(names("re")).toEqual(["Release Train", "renata", "Release Bot"]);
  expect(names("")[0]).toBe("Release Train");
  expect(names("", [ben.id, general.id]).slice(0, 3)).toEqual(["Release Train", "Ben", "general"]);
  expect(names("", [general.id]).slice(0, 3)).toEqual(["Release Train", "general", "Ben"]);
});

test("a sign limits what is found, and a channel is also found by its name in links", () => {
  expect(names("@r")).toEqual(["renata", "Release Bot"]);
  expect(names("#r")).toEqual(["Release Train", "general"]);
  expect(names("release-tr")).toEqual(["Release Train"]);
  expect(names("zzz")).toEqual([]);
});

test("not more is offered than fits on a screen", () => {
  const many = Array.from({ length: 300 }, (_, n) => ({ kind: "user" as const, name: `user${n}` }));
  expect(rankEntries(switchEntries([], many, null), "user", [])).toHaveLength(12);
});
