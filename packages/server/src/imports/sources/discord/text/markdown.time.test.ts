import { expect, test } from "bun:test";
import { blocksOf } from "./markdown.ts";
import type { TextContext } from "./references.ts";

const CONTEXT: TextContext = {
  names: {
    person: (id) => (id === "1" ? "ada" : undefined),
    role: (id) => (id === "9" ? "crew" : undefined),
    channel: (id) => (id === "5" ? "general" : undefined),
    channelNamed: (name) => (name === "general" ? "5" : undefined),
    target: (channelId, messageId) => (channelId === "5" ? { channelId, messageId } : undefined),
  },
  mentioned: [
    { id: "2", name: "Ben C." },
    { id: "1", name: "ada" },
  ],
  ownEmoji: new Set(["heart"]),
};

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
