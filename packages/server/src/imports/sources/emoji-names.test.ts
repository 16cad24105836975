import { expect, test } from "bun:test";
import { emojiOfName, nameOfEmoji, slackNameOf } from "./emoji-names.ts";

test.each([
  ["👍", "+1"],
  ["👍🏽", "+1::skin-tone-4"],
  ["❤️", "heart"],
  ["🇩🇪", "de"],
  ["☝🏿", "point_up::skin-tone-6"],
])("%s is named %s, and read again", (emoji, name) => {
  expect(slackNameOf(emoji)).toBe(name);
  expect(emojiOfName(name)).toBe(emoji);
});

test("what is no emoji has no name", () => {
  expect([nameOfEmoji("party_parrot"), slackNameOf(""), slackNameOf("a")]).toEqual([undefined, undefined, undefined]);
});
