import { expect, test } from "bun:test";
import { read } from "../../../../../test/support/imports/rocketchat-names.ts";
import { textTree } from "./rocketchat-text.ts";

const HOSTILE = [
  "*a _b ",
  "~",
  "[a](b ",
  "[ ](",
  "> ",
  "@a",
  "#a",
  ":a",
  "||a",
  "<https://a|",
  "/channel/a?msg=",
  "``a`",
];
test.each(HOSTILE)("a long text of %j is read in time", (piece) => {
  const text = piece.repeat(Math.ceil(400_000 / piece.length));
  const from = performance.now();
  textTree(text, read);
  expect(performance.now() - from).toBeLessThan(3_000);
});
