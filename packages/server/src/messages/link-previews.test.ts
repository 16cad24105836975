import { describe, expect, test } from "bun:test";
import { linksIn } from "./link-previews.ts";

const A = "https://example.org/a";

describe("the links of a message (protocol §13.4)", () => {
  test.each([
    ["at the end of a sentence", `See ${A}.`],
    ["in brackets", `(${A})`],
    ["of Markdown", `[here](${A})`],
    ["between angle brackets", `<${A}>`],
    ["twice", `${A} and ${A}`],
    ["before Chinese punctuation", `看 ${A}，我们的密码是四个字`],
    ["before a full-width bracket", `（${A}）之后`],
  ])("end where the page ends them: %s", (_, content) => expect(linksIn(content)).toEqual([A]));

  test.each([
    ["a fence", `\`\`\`sh\ncurl ${A}\n\`\`\``],
    ["a fence without an end", `\`\`\`\n${A}`],
    ["a fence of tildes", `~~~\n${A}\n~~~`],
    ["an indented block", `text\n\n    ${A}`],
    ["backticks", `\`${A}\``],
    ["double backticks", `\`\`x \` ${A}\`\``],
    ["a quote", `> ${A}`],
    ["a lazy line of a quote", `> said\n${A}`],
    ["a quote in a list", `- > ${A}`],
  ])("are none in %s", (_, content) => expect(linksIn(content)).toEqual([]));

  test("keep brackets that belong to them, and none with a password or of another scheme", () => {
    expect(linksIn("https://example.org/a_(b) ftp://example.org https://me:secret@example.org")).toEqual([
      "https://example.org/a_(b)",
    ]);
  });
});
