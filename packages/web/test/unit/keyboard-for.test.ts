import { expect, test } from "bun:test";
import type { ChatMessage } from "@parley/protocol/models";
import { keyboardFor } from "../../src/composer/keyboard-for.ts";

let last = 0;
const message = (fields: object): ChatMessage => {
  const id = ++last;
  const plain = {
    id,
    username: null,
    agent_name: null,
    content: "",
    mentions: [],
    reply_to_id: null,
    is_deleted: false,
  };
  return { ...plain, ...fields } as unknown as ChatMessage;
};
const shows = (name: string, rows: string[][], more: object = {}, fields: object = {}) => {
  const keyboard = { rows, one_time: false, selective: false, placeholder: null, ...more };
  return message({ agent_name: name, keyboard, ...fields });
};
const says = (username: string, content: string) => message({ username, content });
const rowsFor = (messages: ChatMessage[], self = "ann") => keyboardFor(messages, self)?.keyboard.rows ?? null;

test("the newest keyboard is shown until its bot removes it", () => {
  const [one, two] = [shows("A", [["1"]]), shows("B", [["2"]])];
  expect(rowsFor([])).toBeNull();
  expect(rowsFor([one, two, says("bob", "hi")])).toEqual([["2"]]);
  expect(rowsFor([one, two, shows("B", [])])).toEqual([["1"]]);
  expect(rowsFor([one, two, shows("A", [])])).toEqual([["2"]]);
  expect(rowsFor([one, shows("A", [])])).toBeNull();
  expect(rowsFor([{ ...one, is_deleted: true }])).toBeNull();
});

test("a keyboard for one use is gone when the reader has used it, for the reader only", () => {
  const once = shows("A", [["Yes", "No"]], { one_time: true });
  expect(rowsFor([says("ann", "Yes"), once])).toEqual([["Yes", "No"]]);
  expect(rowsFor([once, says("ann", "something else"), says("bob", "Yes")])).toEqual([["Yes", "No"]]);
  expect(rowsFor([once, says("ann", "No")])).toBeNull();
  expect(rowsFor([shows("A", [["Yes"]]), says("ann", "Yes")])).toEqual([["Yes"]]);
});

test("a selective keyboard is for those whom its message mentions or answers", () => {
  const asks = says("bob", "/start");
  const answer = shows("A", [["1"]], { selective: true }, { reply_to_id: asks.id });
  expect(rowsFor([asks, answer], "bob")).toEqual([["1"]]);
  expect(rowsFor([asks, answer], "ann")).toBeNull();
  const mentions = [{ type: "user", name: "ann", offset: 0, length: 4 }];
  expect(rowsFor([asks, shows("A", [["2"]], { selective: true }, { mentions })], "ann")).toEqual([["2"]]);
});
