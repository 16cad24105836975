import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { complete, matchCandidates, mentionAt } from "../../src/composer/completion.ts";
import { languageOf } from "../../src/markdown/text-language.ts";
import { applyUserList } from "../../src/model/online-list.ts";
import { hrefOf, parseRoute } from "../../src/state/route.ts";

describe("the completion of a name", () => {
  const people = ["ana", "Night Scout", "scott", "Anatol"].map((name) => ({ kind: "user" as const, name }));
  test.each([
    ["@", 1, ""],
    ["hi @an", 6, "an"],
    ["(@sc", 4, "sc"],
    ["mail me a@b", 11, null],
    ["@ana ", 5, null],
    ["@ana", 2, "a"],
  ])("of %j at %d begins with %j", (text, caret, query) => {
    expect(mentionAt(text, caret)?.query ?? null).toBe(query);
  });
  test("lists names that begin with the text before those that contain it", () => {
    expect(matchCandidates("sco", people).map(({ name }) => name)).toEqual(["scott", "Night Scout"]);
    expect(matchCandidates("ANA", [...people, ...people]).map(({ name }) => name)).toEqual(["ana", "Anatol"]);
    expect(matchCandidates("night_s", people).length).toBe(1);
  });
  test("replaces the typed part", () => {
    expect(complete("hi @ni there", 3, 6, { kind: "user", name: "Night Scout" })).toEqual({
      text: "hi @Night_Scout there",
      caret: 16,
    });
  });
});

test("the page asks in dialogs of its own, never in the browser's", async () => {
  const sources = join(import.meta.dir, "../../src");
  const asking: string[] = [];
  for (const file of new Bun.Glob("**/*.{ts,tsx}").scanSync(sources)) {
    const text = await Bun.file(join(sources, file)).text();
    if (/(^|[^.\w])(confirm|alert|prompt)\(/m.test(text)) asking.push(file);
  }
  expect(asking).toEqual([]);
});

test("a text has the language of its letters", () => {
  expect(languageOf("骨と直接")).toBe("ja");
  expect(languageOf("カタカナ")).toBe("ja");
  expect(languageOf("오늘 骨")).toBe("ko");
  expect(languageOf("骨头直接")).toBeUndefined();
  expect(languageOf("plain 👍")).toBeUndefined();
});

test("URLs of channels and messages lead back to them, and others lead home", () => {
  for (const route of [
    { page: "channel", slug: "general", threadId: null, messageId: null },
    { page: "channel", slug: "dm-1%2f", threadId: null, messageId: 12 },
    { page: "channel", slug: "general", threadId: 7, messageId: null },
    { page: "channel", slug: "t", threadId: 7, messageId: 12 },
  ] as const) {
    expect(parseRoute(hrefOf(route))).toEqual(route);
  }
  for (const hash of ["", "#", "#/x/y", "#/c/", "#/c/%E0%A4%A"])
    expect(parseRoute(hash)).toEqual({ page: "channel", slug: null, threadId: null, messageId: null });
  expect(parseRoute("#/c/a/0")).toEqual({ page: "channel", slug: "a", threadId: null, messageId: null });
});

test("each form of `user:list` updates the online list: a whole list, a change, and a truncated change", () => {
  const user = (name: string) => ({ kind: "user" as const, name, honor_level: 0, since: "2026-01-01T00:00:00.000Z" });
  const people = { users: [user("ana"), user("ben")], count: 2, guests: 0 };
  const counts = { channel_id: 1, count: 3, guest_count: 4 };
  expect(applyUserList(people, { ...counts, users: [user("cat")] })).toEqual({
    users: [user("cat")],
    count: 3,
    guests: 4,
  });
  const after = applyUserList(people, { ...counts, joined: [user("cat"), user("ana")], left: [user("ben")] });
  expect(after?.users.map(({ name }) => name)).toEqual(["cat", "ana"]);
  expect(applyUserList(people, { ...counts, joined: [], left: [], truncated: true })).toBeNull();
});
