import { expect, test } from "bun:test";
import { index, realm } from "../../../../../test/support/imports/zulip-names.ts";
import { textTree } from "./zulip-text.ts";

const HOSTILE = [
  "*a ",
  "**a",
  "[a](b ",
  "[",
  "> ",
  "> > ",
  "- a\n",
  "`a``b",
  "@**",
  "#**a>",
  "```\n",
  "$$",
  "![",
  "<time:",
  ":a",
];
test.each(HOSTILE)("a long text of %j is read in time", (piece) => {
  const text = piece.repeat(Math.ceil(400_000 / piece.length));
  const from = performance.now();
  textTree(text, { realm, index });
  expect(performance.now() - from).toBeLessThan(3_000);
});
