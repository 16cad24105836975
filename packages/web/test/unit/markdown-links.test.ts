import { describe, expect, test } from "bun:test";
import { marksOf } from "../../src/markdown/marks.ts";
import { plainParts } from "../../src/markdown/plain-parts.ts";
import { shown } from "../support/markdown.ts";

const plainLinks = (content: string) =>
  plainParts(marksOf({ content, mentions: [] })).flatMap(({ href }) => (href === null ? [] : [href]));
const links = (content: string) => [...shown(content).matchAll(/<a href="([^"]*)"/g)].map(([, href]) => href);

describe("web addresses in running text", () => {
  test.each<[string, string[]]>([
    ["see https://example.com.", ["https://example.com/"]],
    ["(https://example.com/a_(b))", ["https://example.com/a_(b)"]],
    [
      "https://example.com/?q=1#x, and http://b.example:8080/y!",
      ["https://example.com/?q=1#x", "http://b.example:8080/y"],
    ],
    ["HTTPS://EXAMPLE.COM", ["https://example.com/"]],
    ["看https://example.com/路径。然后", ["https://example.com/%E8%B7%AF%E5%BE%84"]],
    ["**https://example.com**", ["https://example.com/"]],
    ["javascript:alert(1) data:text/html,x file:///etc ftp://x", []],
    ["https://user:secret@example.com", []],
    ["https://google.com@example.com", []],
    ["https://exam\u200bple.com/", ["https://exam/"]],
    ["https:// https://[::1", []],
    ["nohttps://example.com", []],
  ])("%s", (content, found) => {
    expect(plainLinks(content)).toEqual(found);
    expect(links(content)).toEqual(found);
  });
});
