import { expect, test } from "bun:test";
import { memoryStage, sourceChannel, sourceMessage, sourceUser } from "../../../test/support/imports/memory-stage.ts";
import { Roots } from "./roots.ts";

const LONG = 2_000;

/** A stage of messages, each of which answers the one that `answered` names, and how often it was asked for one. */
function chain(answered: (at: number) => number | null) {
  const messages = Array.from({ length: LONG }, (_, at) => {
    const to = answered(at);
    return sourceMessage(`m${at}`, { at: 1_500_000_000_000 + at, threadId: to === null ? null : `m${to}` });
  });
  const stage = memoryStage({
    users: [sourceUser("U1")],
    channels: [sourceChannel("C1", { memberIds: ["U1"] })],
    messages,
  });
  let asked = 0;
  const counting = {
    ...stage,
    message(id: string) {
      asked += 1;
      return stage.message(id);
    },
  };
  const roots = new Roots(counting);
  const found = stage.messagesAfter(0, LONG).map((message) => roots.of(message)?.id ?? null);
  return { found, asked };
}

test.each([
  ["forwards", (at: number) => (at === 0 ? null : at - 1), "m0"],
  ["backwards", (at: number) => (at === LONG - 1 ? null : at + 1), `m${LONG - 1}`],
  ["in a circle", (at: number) => (at + 1) % LONG, "m0"],
] as const)("a chain of replies %s has one root, and each message is looked up once", (_, answered, root) => {
  const { found, asked } = chain(answered);
  expect(new Set(found)).toEqual(new Set([root, null]));
  expect(found.filter((id) => id === null)).toHaveLength(1);
  expect(asked).toBeLessThanOrEqual(LONG);
});

test("replies to what the export does not have are of one absent root", () => {
  const { found } = chain((at) => at + LONG);
  expect(found).toEqual(Array.from({ length: LONG }, (_, at) => `m${at + LONG}`));
});
