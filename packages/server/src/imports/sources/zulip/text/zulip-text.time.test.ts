import { expect, test } from "bun:test";
import { ZulipIndex } from "../zulip-index.ts";
import type { Realm } from "../zulip-realm.ts";
import { textTree } from "./zulip-text.ts";

const realm: Realm = {
  id: "acme",
  name: "Acme",
  subdomain: "acme",
  hosts: new Set(["chat.acme.example"]),
  names: new Map([
    ["10", "Ada Berg"],
    ["11", "Ben"],
  ]),
  userIds: new Map([
    ["Ada Berg", "10"],
    ["Ben", "11"],
  ]),
  systemBots: new Map(),
  streams: new Map([["5", { id: "5", name: "dev ops", recipient: "105" }]]),
  streamIds: new Map([["dev ops", "5"]]),
  recipients: new Map(),
  emoji: new Map([["working", "🛠️"]]),
  ownEmoji: new Set(["parrot"]),
  hasAddresses: true,
};
const index = new ZulipIndex();
index.addToTopic({ recipient: "105", topic: "A (b) c." }, 1, 77);

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
