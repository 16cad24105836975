import { expect, test } from "bun:test";

// A name that the compiler does not follow: the composer has the types of browsers, the tests those of Bun.
const { fenced }: { fenced(pasted: string, before: string, after: string): string | null } = await import(
  `${"../../src"}/composer/paste.ts`
);

const lines = (count: number) => Array.from({ length: count }, (_, n) => `line ${n}`).join("\n");

test("a paste of many lines becomes a fence of its own lines", () => {
  expect(fenced(lines(8), "", "")).toBe(`\`\`\`\n${lines(8)}\n\`\`\``);
  expect(fenced(`${lines(8)}\r\n\n`, "see", "end")).toBe(`\n\`\`\`\n${lines(8)}\n\`\`\`\n`);
  expect(fenced(lines(9), "```\na\n```\n", "")).toBe(`\`\`\`\n${lines(9)}\n\`\`\``);
});

test("a short paste, one with a fence, and one within a fence stay as they are", () => {
  expect(fenced(lines(7), "", "")).toBeNull();
  expect(fenced(`\`\`\`js\n${lines(9)}\n\`\`\``, "", "")).toBeNull();
  expect(fenced(lines(9), "```\n", "\n```")).toBeNull();
});
