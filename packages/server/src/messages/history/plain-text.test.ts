import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { plainText } from "./plain-text.ts";

const plain = (content: string) => plainText({ content, mentions: [] }).content;

describe("text without Markdown", () => {
  test.each([
    ["**b** *i* _i_ ~~s~~ ***x***", "b i i s x"],
    ["2 * 3 * 4, a_b_c, 3~5, **open", "2 * 3 * 4, a_b_c, 3~5, **open"],
    ["a_b c_, 2 * 3*", "a_b c_, 2 * 3*"],
    ["****b**** ~s~ ~~~t~~~ ____u____", "****b**** ~s~ ~~~t~~~ ____u____"],
    ["# Title\n## Sub\n#tag", "Title\nSub\n#tag"],
    ["see:\n```ts\nlet **a**\n\n# b\n```\nend", "see:\nlet **a**\n\n# b\nend"],
    ["```\nopen *a*", "open *a*"],
    ["a\n```\n```", "a"],
    ["`*a*` ``b`c`` `open", "*a* b`c `open"],
    ["[a](https://x.example/b_c_d) ![p](<https://x.example/p>)", "a (https://x.example/b_c_d) p (https://x.example/p)"],
    ['[a](https://x.example "title") [b]() [c', "a (https://x.example) b [c"],
    ["[https://x.example](https://x.example)", "https://x.example"],
    ["<https://x.example/a> **https://x.example/__init__.py**", "https://x.example/a https://x.example/__init__.py"],
    ["\\*a\\* \\a", "*a* \\a"],
    ["|a|b|\n|-|:-:|\n|1|**2**|", "|a|b|\n|1|2|"],
    ["- a\n- [x] b\n1. c\n> d\n---", "- a\n- [x] b\n1. c\n> d\n---"],
    ["", ""],
  ])("of %j is %j", (content, text) => {
    expect(plain(content)).toBe(text);
  });

  test("keeps mentions whole, at offsets in the new text (property)", () => {
    const pieces = fc.array(
      fc.constantFrom(..."*_~`#>|[]()!<\\ \n", "a", "**", "```\n", "](https://a.example)", "\u{1}"),
    );
    fc.assert(
      fc.property(pieces, (list) => {
        let content = "";
        const mentions = list.flatMap((piece) => {
          const offset = content.length;
          content += piece === "\u{1}" ? "@_a*b" : piece;
          return piece === "\u{1}" ? [{ type: "user" as const, name: "_a*b", offset, length: 5 }] : [];
        });
        const found = plainText({ content, mentions });
        for (const { offset, length } of found.mentions)
          expect(found.content.slice(offset, offset + length)).toBe("@_a*b");
        expect(found.mentions.length).toBe(mentions.length);
      }),
      { numRuns: 1_000 },
    );
  });
});
