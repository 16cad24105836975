import { expect, test } from "bun:test";
import { textTree } from "./rocketchat-text.ts";
import type { Names } from "./specials.ts";

const server: Names["server"] = {
  hosts: new Set(["chat.acme.example"]),
  names: new Map([
    ["u1", "ada.b"],
    ["u2", "ben"],
  ]),
  userIds: new Map([
    ["ada.b", "u1"],
    ["ben", "u2"],
  ]),
  rooms: new Map([["r1", { id: "r1", name: "ops", kind: "public" as const }]]),
  roomIds: new Map([["ops", "r1"]]),
  ownEmoji: new Set(["parrot"]),
};
const read = { server, people: new Map([["old.name", "u2"]]), channels: new Map([["Xy2", "r1"]]) };

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
