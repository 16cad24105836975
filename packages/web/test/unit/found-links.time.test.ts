import { expect, test } from "bun:test";
import { foundLinks } from "../../src/markdown/found-links.ts";

test.each([
  "a.".repeat(8_000),
  "a@b.".repeat(4_000),
  `a@${"b.".repeat(8_000)}`,
  "#a-".repeat(5_000),
  "-".repeat(16_000),
])("links are looked for in a time that grows with the text alone: %.6s…", (text) => {
  const started = performance.now();
  foundLinks(text);
  expect(performance.now() - started).toBeLessThan(200);
});
