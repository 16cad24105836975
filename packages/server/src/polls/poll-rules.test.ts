import { expect, test } from "bun:test";
import fc from "fast-check";
import { AppError } from "../errors.ts";
import { type Change, checkPoll, choiceRefusal, contentOf, counted, newPoll } from "./poll-rules.ts";

const asked = (options: string[], question = "Tea?") => checkPoll({ question, options });
const refusal = (options: string[], question?: string): unknown => {
  try {
    return asked(options, question);
  } catch (error) {
    return error instanceof AppError ? error.details : error;
  }
};

test("options that look the same are refused, whatever spaces and invisible characters they have", () => {
  const pairs = [
    ["a b", "a\u00a0b"],
    ["a b", "a  b"],
    ["a b", "a\u2003b"],
    ["ab", "a\u200bb"],
    ["ab", "a\u00adb"],
    ["ab", "ab\u3164"],
    ["ａｂ", "ab"],
    ["é", "e\u0301"],
    ["yes", " yes "],
    ["a", "a\ufe0f"],
  ];
  for (const pair of pairs)
    expect([pair, refusal(pair)]).toEqual([pair, [{ path: "options.1", message: "looks like another option" }]]);
  expect(asked(["a", "b", "A"]).options).toEqual(["a", "b", "A"]);
});

test("blank texts, line breaks, controls and half characters are refused", () => {
  for (const text of ["", " ", "\u200b", "\u2800", "\u3164", "a\nb", "a\u0000", "a\u202eb", "a\u2028b", "a\ud800"]) {
    expect(refusal([text, "b"])).toMatchObject([{ path: "options.0" }]);
    expect(refusal(["a", "b"], text)).toMatchObject([{ path: "question" }]);
  }
  expect(asked([" 👩‍👩‍👧‍👦 ", "日本"], " Où? ")).toMatchObject({ question: "Où?", options: ["👩‍👩‍👧‍👦", "日本"] });
});

test("a client that does not know polls shows question and options as lines", () => {
  expect(contentOf(asked(["Yes", "No"]))).toBe("Tea?\n- Yes\n- No");
});

test("the sums equal the choices after any changes of mind", () => {
  const choice = fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { maxLength: 4 });
  const act = fc.record({ userId: fc.nat({ max: 5 }), after: choice });
  fc.assert(
    fc.property(fc.array(act, { maxLength: 30 }), (acts) => {
      const held = new Map<number, number[]>();
      let poll = newPoll(checkPoll({ question: "?", options: ["a", "b", "c", "d"], multiple: true }), null);
      for (const { userId, after } of acts) {
        const change: Change = { userId, before: held.get(userId) ?? [], after };
        poll = counted(poll, [change]);
        held.set(userId, after);
      }
      const chosen = [...held.values()].flat();
      expect(poll.options.map(({ count }) => count)).toEqual(
        [1, 2, 3, 4].map((id) => chosen.filter((each) => each === id).length),
      );
      expect(poll.total_voters).toBe([...held.values()].filter(({ length }) => length > 0).length);
    }),
  );
});

test("a choice names options of the poll, and only one unless it takes several", () => {
  const one = newPoll(asked(["a", "b"]), null);
  expect(choiceRefusal(one, [])).toBeNull();
  expect(choiceRefusal(one, [2])).toBeNull();
  expect(choiceRefusal(one, [1, 2])).toMatchObject({ code: "one_option_only" });
  expect(choiceRefusal(one, [3])).toMatchObject({ code: "unknown_option" });
  expect(choiceRefusal({ ...one, multiple: true }, [1, 2])).toBeNull();
});
