import { expect, test } from "bun:test";
import type { Channel } from "@parley/protocol/models";
import type { Sidebar } from "@parley/protocol/preferences";
import { groupsOf } from "../../src/model/channel-groups.ts";

const named = (id: number, name: string, more: Partial<Channel> = {}) =>
  ({ id, name, my_role: "member", is_direct: false, direct_with: null, ...more }) as Channel;
const CHANNELS = [
  named(1, "General"),
  named(2, "room 10"),
  named(3, "Room 9"),
  named(4, "direct-x", { is_direct: true, direct_with: "ben" }),
  named(5, "Elsewhere", { my_role: null }),
  named(6, "Art", { my_role: null }),
  named(7, "Alpha"),
];

function grouped(sidebar: Partial<Sidebar> = {}, activity: number[] = [], isGuest = false) {
  const source = { channels: CHANNELS, sidebar: { sorting: "name" as const, channels: {}, ...sidebar }, activity };
  return groupsOf({ ...source, isGuest, language: "en" }).map(
    ({ kind, name, channels }) => [name ?? kind, channels.map(({ id }) => id)] as const,
  );
}

test("channels are sorted by name, with numbers as numbers; those of others stay in the server's order", () => {
  expect(grouped()).toEqual([
    ["mine", [7, 1, 3, 2]],
    ["direct", [4]],
    ["others", [5, 6]],
  ]);
});

test("or by their newest message, those without one last and by name", () => {
  expect(grouped({ sorting: "activity" }, [2, 4, 1])[0]).toEqual(["mine", [2, 1, 7, 3]]);
});

test("favourites come first, then sections by name; each channel is shown once", () => {
  const channels = {
    2: { favourite: true, section: "Work" },
    3: { favourite: false, section: "Work" },
    4: { favourite: false, section: "Friends" },
    1: { favourite: false, section: null },
  };
  expect(grouped({ channels })).toEqual([
    ["favourites", [2]],
    ["Friends", [4]],
    ["Work", [3]],
    ["mine", [7, 1]],
    ["direct", []],
    ["others", [5, 6]],
  ]);
});

test("the groups of the user's own channels and conversations are there also when they are empty, and a guest has all in one", () => {
  expect(
    groupsOf({
      channels: [],
      sidebar: { sorting: "name", channels: {} },
      activity: [],
      isGuest: false,
      language: "en",
    }),
  ).toEqual([
    { key: "mine", kind: "mine", channels: [] },
    { key: "direct", kind: "direct", channels: [] },
  ]);
  expect(grouped({}, [], true)).toEqual([["mine", [1, 2, 3, 4, 5, 6, 7]]]);
});
