import { expect, spyOn, test } from "bun:test";
import { busRecord } from "../../event-log/events.ts";
import { featureOf, recordJson } from "../../event-log/message-json.ts";
import { messageOf, newRow } from "../append/draft.ts";
import { differingOf } from "../own-fields.ts";

const POLL = { name: "poll", record: { question: "Tea?", options: [] } };
const rowWith = (card: object) =>
  newRow(
    messageOf({
      channel: { id: 1, slug: "general", direct: null },
      ...{ content: "text", sender_type: "user", sender_name: "ann" },
      card: JSON.stringify(card),
    }),
    1,
    1,
  );

test.each([
  ["of a feature", { feature: POLL }, true],
  ["of an agent", { components: [], keyboard: null }, false],
])("the card %s is parsed once, however often its row is read", (_, card, isFeature) => {
  const row = rowWith(card);
  const text = row.card;
  using parse = spyOn(JSON, "parse");
  const json = recordJson(row, "general");
  expect(busRecord(row, json).featured).toBe(isFeature ? true : undefined);
  expect(differingOf([row]).featuredIds).toEqual(isFeature ? [row.id] : []);
  expect(parse.mock.calls.filter(([given]) => given === text)).toHaveLength(1);
});

test("a card that is changed is parsed again", () => {
  const row = rowWith({ feature: POLL });
  expect(featureOf(row)).toEqual(POLL);
  expect(featureOf({ ...row, card: null })).toBeUndefined();
  row.card = JSON.stringify({ components: [] });
  expect(featureOf(row)).toBeUndefined();
});
