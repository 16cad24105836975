import { expect, test } from "bun:test";
import type { PhrasingContent, Root, RootContent } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { PART_MAX, partsOf } from "./parts.ts";
import { type Names, printText } from "./text.ts";

const NAMES: Names = {
  person: (id) => (id === "U1" ? { type: "user", name: "ann_b" } : null),
  slug: (id) => (id === "C1" ? "talk" : null),
  address: (id, message) => (id === "C1" ? `https://chat.example.org/#/c/talk${message === null ? "" : "/7"}` : null),
};

const paragraph = (...children: PhrasingContent[]): RootContent => ({ type: "paragraph", children });
const text = (value: string): PhrasingContent => ({ type: "text", value });
const root = (...children: RootContent[]): Root => ({ type: "root", children });
const print = (...children: PhrasingContent[]): string => printText(root(paragraph(...children)), NAMES).content;

test.each([
  ["plain words, as they are", "plain words, as they are"],
  ["snake_case_name", "snake_case_name"],
  ["2 * 3 = 6", "2 * 3 = 6"],
  ["AT&T", "AT&T"],
  ["~5 minutes", "~5 minutes"],
  ["# not a heading", "\\# not a heading"],
  ["1. not a list", "1\\. not a list"],
  ["*not strong*", "\\*not strong\\*"],
  ["[x](y)", "\\[x]\\(y)"],
  ["<b>", "\\<b>"],
  ["&lt; stays", "\\&lt; stays"],
])("%j becomes %j, which shows the same", (source, expected) => {
  const printed = print(text(source));
  expect(printed).toBe(expected);
  const [first] = fromMarkdown(printed).children;
  expect(first).toMatchObject({ type: "paragraph", children: [{ type: "text", value: source }] });
});

test("mentions of people who are taken have names and places, counted in UTF-16 units; others are text", () => {
  const mention = (userId: string, label: string): PhrasingContent => ({ type: "sourceMention", userId, label });
  const tree = root(
    paragraph(
      text("😀 "),
      mention("U1", "@ann"),
      text(", "),
      mention("U2", "@bob_c"),
      text(" "),
      mention("U1", "@ann"),
    ),
  );
  const { content, mentions } = printText(tree, NAMES);
  expect(content).toBe("😀 @ann_b, @bob_c @ann_b");
  expect(mentions).toEqual([
    { type: "user", name: "ann_b", offset: 3, length: 6 },
    { type: "user", name: "ann_b", offset: 18, length: 6 },
  ]);
  const many = Array.from({ length: 25 }, () => [mention("U1", "@ann"), text(" ")]).flat();
  const all = printText(root(paragraph(...many)), NAMES);
  expect(all.mentions).toHaveLength(20);
  expect(all.content.match(/@ann_b/g)).toHaveLength(25);
});

test("channels and links to what was taken have Parley's names and addresses", () => {
  expect(print({ type: "sourceChannel", channelId: "C1", label: "#old" })).toBe("#talk");
  expect(print({ type: "sourceChannel", channelId: "C9", label: "#old_one" })).toBe("#old_one");
  const link = (channelId: string, label: string, messageId: string | null = "m"): PhrasingContent => ({
    type: "link",
    url: "https://acme.slack.com/archives/C1/p1",
    data: { target: { channelId, messageId } },
    children: [text(label)],
  });
  expect(print(link("C1", "there"))).toBe("[there](https://chat.example.org/#/c/talk/7)");
  expect(print(link("C1", "https://acme.slack.com/archives/C1/p1"))).toBe("https://chat.example.org/#/c/talk/7");
  expect(print(link("C9", "https://acme.slack.com/archives/C1/p1"))).toBe("https://acme.slack.com/archives/C1/p1");
  expect(print(link("C1", "there", null))).toBe("[there](https://chat.example.org/#/c/talk)");
});

test("code is printed as it is", () => {
  const tree = root(
    { type: "code", lang: null, value: "a_b * c\n  <x> & ~y" },
    paragraph({ type: "inlineCode", value: "a\\_b" }),
  );
  expect(printText(tree, NAMES).content).toBe("```\na_b * c\n  <x> & ~y\n```\n\n`a\\_b`");
});

test("a long text is split at paragraphs, lines and words, and nothing is lost", () => {
  const words = Array.from({ length: 9_000 }, (_, at) => `word${at}`);
  const content = words.map((word, at) => (at % 50 === 49 ? `${word}\n` : `${word} `)).join("");
  const parts = partsOf({ content, mentions: [] });
  expect(parts.length).toBeGreaterThan(1);
  for (const part of parts) expect(part.content.length).toBeLessThanOrEqual(PART_MAX);
  expect(parts.flatMap((part) => part.content.split(/\s+/)).filter((word) => word !== "")).toEqual(words);
});

test("a block of code that is split is closed and opened again", () => {
  const lines = Array.from({ length: 3_000 }, (_, at) => `line ${at}`);
  const parts = partsOf({ content: `before\n\n\`\`\`ts\n${lines.join("\n")}\n\`\`\`\n\nafter`, mentions: [] });
  expect(parts.length).toBeGreaterThan(1);
  const shown = parts.flatMap(({ content }) =>
    fromMarkdown(content).children.flatMap((node) => (node.type === "code" ? node.value.split("\n") : [])),
  );
  expect(shown).toEqual(lines);
});

test("signs of the source never make a mention", () => {
  const forged = "\ufdd00\ufdd1".repeat(30);
  const mention: PhrasingContent = { type: "sourceMention", userId: "U1", label: "@ann" };
  const { content, mentions } = printText(root(paragraph(text(forged), mention, text(forged))), NAMES);
  expect(mentions).toHaveLength(1);
  expect(content.slice(mentions[0]?.offset)).toStartWith("@ann_b");
  expect(content).not.toMatch(/[\ufdd0\ufdd1]/);
});

test("neither a mention nor a character is split", () => {
  const long = "x".repeat(PART_MAX - 200);
  const name = "n".repeat(40);
  for (let shift = 0; shift < 200; shift += 7) {
    const before = `${long}${"y".repeat(shift)}`;
    const content = `${before}@${name}${"👩‍👩‍👧".repeat(40)}`;
    const parts = partsOf({ content, mentions: [{ type: "user", name, offset: before.length, length: 41 }] });
    expect(parts.map((part) => part.content).join("")).toBe(content);
    const found = parts.flatMap((part) =>
      part.mentions.map(({ offset, length }) => part.content.slice(offset, offset + length)),
    );
    expect(found).toEqual([`@${name}`]);
    for (const part of parts) expect(part.content).not.toMatch(/^\u200d|\u200d$/);
  }
});
