import { expect, test } from "bun:test";
import { CONTEXT } from "../../../../../test/support/imports/discord-names.ts";
import { blocksOf } from "./markdown.ts";

test.each([
  ["asterisks", "*".repeat(400_000)],
  ["brackets", "[a".repeat(200_000)],
  ["labels", "[a](https://x".repeat(30_000)],
  ["parentheses", `[a](https://${"(".repeat(390_000)}`],
  ["backticks", "`a".repeat(200_000)],
  ["double backticks", "``a` ".repeat(80_000)],
  ["code that nothing closes", `\`\`${"a` ".repeat(130_000)}`],
  ["quotes of code", "> ```\n```\n".repeat(40_000)],
  ["references", "<@".repeat(200_000)],
  ["marks that nothing closes", "**a ".repeat(100_000)],
  ["marks in marks", "||~~".repeat(100_000)],
  ["lists", "  - a\n- b\n".repeat(40_000)],
  ["mentions", "@ada".repeat(100_000)],
  ["addresses", "https://x(".repeat(40_000)],
])("reads 400,000 characters of %s in time that is in proportion", (_, markdown) => {
  const begun = performance.now();
  blocksOf(markdown, CONTEXT);
  expect(performance.now() - begun).toBeLessThan(3_000);
});
