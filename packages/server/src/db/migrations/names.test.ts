import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { MIGRATIONS } from "./migrations.ts";

const names = MIGRATIONS.map(({ name }) => name);

test("a migration's file has its position, which is the schema's number", () => {
  expect(names.map((name) => Number(name.slice(0, 4)))).toEqual(names.map((_, at) => at + 1));
});

test("each file of a migration is in the list, in order", () => {
  const files = readdirSync(import.meta.dirname).filter((file) => /^\d{4}-[a-z-]+\.ts$/.test(file));
  expect(files.toSorted()).toEqual(names.map((name) => `${name}.ts`));
});

// Databases know a migration by its number only: another one in its place would never run on them.
test("no migration has moved", () => {
  const words = names.map((name) => name.slice("0000-".length));
  expect(words.slice(0, RELEASED.length)).toEqual(RELEASED);
});

/** Append each migration when it is merged. */
const RELEASED = [
  "house",
  "points",
  "stickers",
  "reactions",
  "reading",
  "search",
  "moderation",
  "claims",
  "packets",
  "payouts",
  "wallets",
  "privacy",
  "payments",
  "settlements",
  "statements",
  "packet-claims",
  "kept-mutes",
  "removed-paid",
  "kept-agent-mutes",
  "packet-references",
  "payment-amounts",
  "code-purposes",
  "account-security",
  "name-skeletons",
  "earning-limits",
  "cluster",
  "preferences",
  "inbox",
  "direct-agents",
  "rooms",
  "threads",
  "notifications",
  "retention",
  "files",
  "webhooks",
  "notices",
  "reset-links",
  "budgets",
  "storage-keys",
  "cards",
  "streams",
  "webhook-keys",
  "identities",
  "second-factors",
  "channels-to-find",
  "members-in-order",
  "few-of-many",
  "state-of-nodes",
  "setup-codes",
  "telegram-bots",
  "inbox-kinds",
  "agent-commands",
  "menus",
  "pins-and-keyboards",
  "agent-sessions",
  "stream-activity",
  "approval-rule",
  "held-agents",
  "site",
  "unread-from",
  "display-names",
  "scheduled",
  "link-previews",
  "polls",
  "saved-and-forwards",
  "reminders",
  "here",
  "emoji",
  "voice-notes",
  "imports",
  "claimable-accounts",
  "imported-emoji",
  "mail",
  "digests",
  "later-exports",
];
