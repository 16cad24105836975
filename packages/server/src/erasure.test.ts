import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { withoutName } from "./erasure.ts";

const cases: [name: string, before: unknown, after: unknown][] = [
  ["removes a record's name", { username: "ann", id: 1 }, { username: "deleted-user", id: 1 }],
  [
    "removes the name from every key that holds one",
    { owner_username: "ann", pinned_by: "ann", member: "ann", direct_with: "ann" },
    null,
  ],
  ["removes the name at any depth", { red_packet: { my_claim: [{ username: "ann" }] } }, null],
  ["keeps another user's name", { username: "anna", x: "ann" }, undefined],
  ["keeps the same word elsewhere", { type: "ann", reaction: "ann", content: "ann", name: "ann" }, undefined],
  [
    "keeps what others wrote beside the name",
    { username: "ann", content: "ann" },
    { username: "deleted-user", content: "ann" },
  ],
  [
    "removes a mention",
    [
      { type: "user", name: "ann", offset: 0, length: 4 },
      { type: "user", name: "bob", offset: 5, length: 4 },
    ],
    [{ type: "user", name: "bob", offset: 5, length: 4 }],
  ],
  ["keeps a mention of an agent with that name", [{ type: "agent", name: "ann", offset: 0, length: 4 }], undefined],
  [
    "removes a mention in a snapshot",
    { mentions: [{ type: "user", name: "ann", offset: 0, length: 4 }] },
    { mentions: [] },
  ],
];

describe("withoutName", () => {
  test.each(cases)("%s", (_name, before, after) => {
    const found = withoutName(JSON.stringify(before), "ann");
    if (after === undefined) expect(found).toBeNull();
    else if (after === null) expect(found).not.toContain('"ann"');
    else expect(JSON.parse(found ?? "null")).toEqual(after);
  });

  test("changes nothing but the name, and nothing on a second run", () => {
    const json = fc.jsonValue().map((value) => JSON.stringify({ value, username: "ann" }));
    fc.assert(
      fc.property(json, (text) => {
        const found = withoutName(text, "ann") ?? "";
        expect(JSON.parse(found).username).toBe("deleted-user");
        expect(withoutName(found, "ann")).toBeNull();
        const { value } = JSON.parse(text);
        if (!JSON.stringify(value).includes('"ann"')) expect(JSON.parse(found).value).toEqual(value);
      }),
    );
  });
});
