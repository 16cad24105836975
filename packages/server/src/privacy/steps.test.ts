import { expect, test } from "bun:test";
import { MODULES } from "../modules.ts";
import { stepsOf } from "./steps.ts";

const NAMES =
  "memberships preferences bans conversations agent_conversations invitations wallet_challenges blocks devices " +
  "reset_links identities second_factors security_notices notifications webhooks payouts packets payments " +
  "social_accounts agents stickers files cards reactions polls messages thread_follows sticker_files events reasons reports " +
  "answers actor audit points emoji";

test("the modules give every step, in the order in which an erasure that is under way expects them", () => {
  const names = stepsOf(MODULES).map(({ name }) => name);
  expect(names.slice(0, NAMES.split(" ").length).join(" ")).toBe(NAMES);
  expect(new Set(names).size).toBe(names.length);
});

test("the order of the modules does not change the order of the steps, and new steps follow by name", () => {
  const done = async () => null;
  const names = (all: Parameters<typeof stepsOf>[0]) => stepsOf(all).map(({ name }) => name);
  const all = [
    ...MODULES,
    { name: "polls", erase: { votes: done } },
    { name: "forms", erase: { answers_given: done } },
  ];
  expect(names(all).slice(NAMES.split(" ").length)).toEqual([
    "answers_given",
    "claimable_accounts",
    "confirmed_addresses",
    "digests",
    "imports",
    "mails",
    "reminders",
    "saved",
    "scheduled",
    "setup_codes",
    "votes",
  ]);
  expect(names(all.toReversed())).toEqual(names(all));
});
