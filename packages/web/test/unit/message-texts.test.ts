import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { XSS_CORPUS } from "../../../server/test/support/browser/xss-corpus.ts";
import { complete, matchCandidates, mentionAt } from "../../src/composer/completion.ts";
import { parseMessage } from "../../src/messages/message-parser.ts";
import { languageOf } from "../../src/messages/text-language.ts";
import { applyUserList } from "../../src/model/online-list.ts";
import { hrefOf, parseRoute } from "../../src/state/route.ts";

const linksIn = (content: string) =>
  parseMessage({ content, mentions: [] }).flatMap((part) => (part.kind === "link" ? [part.href] : []));

describe("the parts of a message", () => {
  test.each([
    ["see https://example.com.", ["https://example.com/"]],
    ["(https://example.com/a_(b))", ["https://example.com/a_(b)"]],
    [
      "https://example.com/?q=1&r=2#x, and http://b.example:8080/y!",
      ["https://example.com/?q=1&r=2#x", "http://b.example:8080/y"],
    ],
    ["HTTPS://EXAMPLE.COM", ["https://example.com/"]],
    ["看https://example.com/路径。", ["https://example.com/%E8%B7%AF%E5%BE%84"]],
    ["<https://example.com>", ["https://example.com/"]],
    ["javascript:alert(1) data:text/html,x file:///etc ftp://x", []],
    ["https://user:secret@example.com", []],
    ["https://google.com@example.com", []],
    ["https://exam\u200bple.com/", ["https://exam/"]],
    ["https:// https://[::1", []],
    ["nohttps://example.com", []],
  ])("%s", (content, links) => {
    expect(linksIn(content)).toEqual(links);
  });

  test.each<[string, string[]]>([
    ["run `npm test` now", ["`npm test`"]],
    ["a ` b `` c", []],
    ["`over\nlines`", []],
    ["see:\n```ts\nconst a = `b`;\n\n```\nand `c`", ["block ```ts\nconst a = `b`;\n\n```\n", "`c`"]],
    ["```\nhttps://example.com @ana\n```", ["block ```\nhttps://example.com @ana\n```"]],
    ["```\n```", ["block ```\n```"]],
    ["```\nnever closed `x`", ["`x`"]],
    ["``` one line ```", []],
    ["a ```\nb\n```", []],
  ])("contain code in %j", (content, code) => {
    const mentions = [{ type: "user" as const, name: "ana", offset: content.indexOf("@ana"), length: 4 }];
    const parts = parseMessage({ content, mentions: content.includes("@ana") ? mentions : [] });
    const found = parts.flatMap((part) => (part.kind === "code" ? [(part.isBlock ? "block " : "") + part.text] : []));
    expect(found).toEqual(code);
    expect(parts.map(({ text }) => text).join("")).toBe(content);
  });

  test("sum to the text for any text and any mentions (property)", () => {
    const content = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom(...XSS_CORPUS, "`", "\n```\n", "`a`"),
      fc.webUrl(),
    );
    const mention = fc.record({ offset: fc.nat(40), length: fc.integer({ min: 1, max: 20 }) });
    fc.assert(
      fc.property(fc.array(content), fc.array(mention, { maxLength: 5 }), (pieces, places) => {
        const text = pieces.join(" ");
        const mentions = places.map((place) => ({ type: "user" as const, name: "x", ...place }));
        const parts = parseMessage({ content: text, mentions });
        expect(parts.map((part) => part.text).join("")).toBe(text);
        for (const part of parts)
          if (part.kind === "link") expect(part.href).toMatch(/^https?:\/\/[^\s<>"'`@]*[^\s<>"'`]*$/);
      }),
      { numRuns: 300 },
    );
  });
});

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
    expect(complete("hi @ni there", { start: 3, query: "ni" }, 6, "Night Scout")).toEqual({
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
    { page: "channel", slug: "general", messageId: null },
    { page: "channel", slug: "dm-1%2f", messageId: 12 },
  ] as const) {
    expect(parseRoute(hrefOf(route))).toEqual(route);
  }
  for (const hash of ["", "#", "#/x/y", "#/c/", "#/c/%E0%A4%A"])
    expect(parseRoute(hash)).toMatchObject({ slug: "general" });
  expect(parseRoute("#/c/a/0")).toEqual({ page: "channel", slug: "a", messageId: null });
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
