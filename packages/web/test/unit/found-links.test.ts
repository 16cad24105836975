import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { foundLinks } from "../../src/markdown/found-links.ts";
import { shown } from "../support/markdown.ts";

const links = (text: string) => foundLinks(text).flatMap(({ kind, text }) => (kind === "text" ? [] : [text]));

describe("links in running text", () => {
  test.each([
    ["write to ada@example.org.", ["ada@example.org"]],
    ["(a.b+c_d-e@mail.x-y.co.uk), please", ["a.b+c_d-e@mail.x-y.co.uk"]],
    ["请写信到ada@example.org谢谢", ["ada@example.org"]],
    ["ADA@Example.ORG", ["ADA@Example.ORG"]],
    ["see #general, and 在#dev-ops里", ["#general", "#dev-ops"]],
    ["#general's", ["#general"]],
  ])("are found: %s", (text, found) => {
    expect(links(text)).toEqual(found);
  });

  test.each([
    "@ada",
    "a@b",
    "user:pw@example.org",
    "https://ada@example.org/#general",
    "x@y@example.org",
    "a%0Acc@example.org?",
    "аda@example.org",
    "ada@example.org/path",
    "ada\u200b@example.org",
    "C#sharp",
    "&#x41;#",
    "##general",
    "#-a",
    "page#general",
    "#général",
  ])("are not found where there is none: %s", (text) => {
    expect(links(text)).toEqual([]);
  });

  test("leave the text as it is (property)", () => {
    const part = fc.constantFrom("a", "@", ".", "#", "b.org", " ", "好", "-", "x@y.de", "#general");
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const text = parts.join("");
        expect(
          foundLinks(text)
            .map((each) => each.text)
            .join(""),
        ).toBe(text);
      }),
    );
  });

  test("are shown in paragraphs, but neither in code nor within other links", () => {
    const mail = '<a href="mailto:a@x.example" target="_blank" rel="noopener noreferrer nofollow ugc">a@x.example</a>';
    expect(shown("**a@x.example**")).toBe(`<p><strong>${mail}</strong></p>`);
    expect(shown("`a@x.example #general`")).toBe('<p><code translate="no">a@x.example #general</code></p>');
    expect(shown("<a@x.example>")).toBe(`<p>${mail}</p>`);
    expect(shown("#general #vault")).toBe('<p><a class="mention" href="#/c/general">#general</a> #vault</p>');
  });

  test("cost what elements cost, so that a message of nothing else is shown as it was written", () => {
    expect(shown("a@x.example ".repeat(300))).toContain("<a ");
    expect(shown("a@x.example ".repeat(1_000))).not.toContain("<a ");
  });
});
