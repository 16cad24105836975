import { expect, test } from "bun:test";
import { CONTENT_MAX } from "@parley/protocol/limits";
import { EVERYBODY, People } from "../read/people.ts";
import { mrkdwnOf } from "./mrkdwn.ts";

const people = new People(EVERYBODY);
const MESSAGES = 200;

test.each(["*", ".", ")"])("an address of many %j is written in time", (sign) => {
  const content = `https://${sign.repeat(CONTENT_MAX)}`.slice(0, CONTENT_MAX - 1).concat("a");
  const from = performance.now();
  for (let count = 0; count < MESSAGES; count += 1) mrkdwnOf({ content, mentions: [] }, people);
  expect(performance.now() - from).toBeLessThan(3_000);
});
