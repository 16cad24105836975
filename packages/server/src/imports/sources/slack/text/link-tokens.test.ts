import { expect, test } from "bun:test";
import { withoutTokens } from "./link-tokens.ts";

const FILE = "https://files.slack.com/files-pri/T1-F1/a.png";

test.each([
  [`${FILE}?t=xoxe-1`, FILE],
  [`${FILE}?t=xoxe-1&a=2`, `${FILE}?a=2`],
  [`${FILE}?a=2&t=xoxe-1&b=3#top`, `${FILE}?a=2&b=3#top`],
  [`${FILE}?a=2&amp;t=xoxe-1`, `${FILE}?a=2&amp`],
  [`${FILE}?token=xoxb-1&%74=1&x=%78oxp-2`, FILE],
  [`See (${FILE}?t=xoxe-1). Then "${FILE}?t=xoxe-2", please`, `See (${FILE}). Then "${FILE}", please`],
  [`${FILE}?t=xoxe-1|${FILE}?t=xoxe-1`, `${FILE}|${FILE}`],
  ["https://b.example/?to=https://slack-files.com/T1?t=xoxe-1", "https://b.example/?to=https://slack-files.com/T1"],
  ["HTTPS://ANN@A.B.SLACK-EDGE.COM:443?T=XOXE-1", "HTTPS://ANN@A.B.SLACK-EDGE.COM:443"],
  ["https://slack.com\\x?t=xoxe-1", "https://slack.com\\x"],
])("%p has no token as %p", (text, wanted) => {
  expect(withoutTokens(text)).toBe(wanted);
});

test.each([
  "https://acme.slack.com/archives/C1/p1577836800000100?thread_ts=1.2&cid=C1",
  "https://slack.com.example/?t=1",
  "https://notslack.com/watch?t=42",
  "https://example.org/slack.com?t=42",
  "t=xoxe-1 is no link; https:// is none either",
])("%p stays as it is", (text) => {
  expect(withoutTokens(text)).toBe(text);
});
