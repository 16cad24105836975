import { expect, test } from "bun:test";
import { COMPACT_DEFAULTS, compact, expand, type KnownSlugs } from "@parley/protocol/compact";
import { EVENTS, type EventSpec } from "@parley/protocol/events";
import { ChatMessage } from "@parley/protocol/models";
import fc from "fast-check";
import { fitting } from "../support/fuzz/arbitrary.ts";

/** Few channels and slugs, and few places, so that most runs repeat and change them. */
const POOLS = { channel_id: [1, 2], id: [1, 2], channel_slug: ["sea", "lake"], seq: [1, 2, 3] };

/** Most fields of a real message have their default: generated ones get it in half of the cases. */
const usualOf = (data: Record<string, unknown>, choices: readonly boolean[]) => {
  const { chat_message } = data;
  if (typeof chat_message !== "object" || chat_message === null) return data;
  const usual = Object.entries(COMPACT_DEFAULTS).filter((_, at) => choices[at] === true);
  return { ...data, chat_message: { ...chat_message, ...structuredClone(Object.fromEntries(usual)) } };
};

const frames = Object.entries<EventSpec>(EVENTS).map(([event, { data }]) =>
  fc
    .tuple(fitting(data, POOLS), fc.array(fc.boolean(), { minLength: 30, maxLength: 30 }))
    .map(([value, choices]) => ({ event, data: usualOf(value as Record<string, unknown>, choices) })),
);

test("any sequence of events is the same after it was made compact, sent as JSON and expanded", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(...frames), { maxLength: 12 }), (sent) => {
      const [here, there]: KnownSlugs[] = [new Map([[1, "sea"]]), new Map([[1, "sea"]])];
      for (const { event, data } of sent) {
        const full = JSON.parse(JSON.stringify(data)) as unknown;
        const carried = JSON.parse(JSON.stringify(compact(event, full, here as KnownSlugs))) as unknown;
        expect(expand(event, carried, there as KnownSlugs)).toEqual(full);
        expect(there).toEqual(here);
      }
    }),
    { numRuns: 500 },
  );
});

test.each(Object.entries<EventSpec>(EVENTS))("%s is the same after it was expanded", (event, { data }) => {
  fc.assert(
    fc.property(fitting(data, POOLS), (value) => {
      const full = JSON.parse(JSON.stringify(value)) as unknown;
      expect(expand(event, compact(event, full, new Map()), new Map())).toEqual(full);
    }),
    { numRuns: 100 },
  );
});

test("only fields that every full message has are left out", () => {
  const { required = [] } = ChatMessage as { required?: readonly string[] };
  expect(Object.keys(COMPACT_DEFAULTS).filter((name) => !required.includes(name))).toEqual([]);
});
