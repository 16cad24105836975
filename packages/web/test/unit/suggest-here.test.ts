import { expect, test } from "bun:test";
import { matchHere } from "../../src/composer/suggest-here.ts";
import type { OnlineList } from "../../src/model/online-list.ts";

const online = {
  users: [
    { kind: "user", name: "ana" },
    { kind: "user", name: "ben" },
    { kind: "agent", name: "Scout" },
  ],
  count: 5,
  guests: 0,
} as unknown as OnlineList;

const offered = (query: string, place: Partial<Parameters<typeof matchHere>[1]>, level = 0): readonly unknown[] =>
  matchHere(query, { is_direct: false, here_by: "members", my_role: "member", ...place }, online, {
    self: "ana",
    level,
  });

test.each(["", "h", "HE", "here"])("`@%s` is offered as `@here`, with the number of the others", (query) => {
  expect(offered(query, {})).toEqual([{ kind: "here", name: "here", count: 3 }]);
});

test.each([
  ["a member", "members", "member", 0, true],
  ["a user who has not joined", "members", null, 0, true],
  ["a member", "admins", "member", 0, false],
  ["a user who has not joined", "admins", null, 0, false],
  ["an admin", "admins", "admin", 0, true],
  ["the owner", "admins", "owner", 0, true],
  ["a site moderator who is a member", "admins", "member", 1, true],
  ["a site moderator who has not joined", "admins", null, 1, true],
] as const)("%s, where %s call, in the role %p at level %d: %p", (_, here_by, my_role, level, isOffered) => {
  expect(offered("he", { here_by, my_role }, level)).toHaveLength(isOffered ? 1 : 0);
});

test("in a direct conversation, and for another name, nothing is offered", () => {
  expect([...offered("here", { is_direct: true }, 3), ...offered("hereby", {}), ...offered("ben", {})]).toEqual([]);
});
