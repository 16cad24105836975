import { expect, test } from "bun:test";
import { LargeAnswers } from "./large-answers.ts";

const LIMITS = { network: 300_000, all: 600_000 };
const TEXT = "0123456789".repeat(10_000);
const ask = (signal?: AbortSignal) => new Request("http://x/", signal === undefined ? {} : { signal });
const read = (body: ReadableStream) => new Response(body).text();
const isCut = (body: ReadableStream) =>
  read(body).then(
    () => false,
    () => true,
  );

test("an answer arrives whole, and holds nothing once it is read", async () => {
  const answers = new LargeAnswers(LIMITS);
  const text = `${TEXT}\u{1f600}é${"\u{1f600}".repeat(50_000)}`;
  const body = answers.body(ask(), "a", text);
  expect(answers.bytes).toBe(Buffer.byteLength(text));
  expect(await read(body)).toBe(text);
  expect(answers.bytes).toBe(0);
});

test("beyond a network's budget its oldest answers are cut off; other networks keep theirs", async () => {
  const answers = new LargeAnswers(LIMITS);
  const other = answers.body(ask(), "b", TEXT);
  const bodies = Array.from({ length: 5 }, () => answers.body(ask(), "a", TEXT));
  expect(answers.bytes).toBe(4 * TEXT.length);
  expect(await Promise.all([other, ...bodies].map(isCut))).toEqual([false, true, true, false, false, false]);
  expect(answers.bytes).toBe(0);
});

test("beyond the budget of all networks the oldest answers of all are cut off", async () => {
  const answers = new LargeAnswers(LIMITS);
  const bodies = Array.from({ length: 8 }, (_, n) => answers.body(ask(), `network ${n}`, TEXT));
  expect(answers.bytes).toBe(6 * TEXT.length);
  expect(await Promise.all(bodies.map(isCut))).toEqual([true, true, ...Array(6).fill(false)]);
});

test("an answer larger than the budget arrives alone", async () => {
  const answers = new LargeAnswers({ network: 10, all: 20 });
  expect(await read(answers.body(ask(), "a", TEXT))).toBe(TEXT);
});

test("a reader that leaves, or never begins, holds nothing", async () => {
  const answers = new LargeAnswers(LIMITS);
  const leaving = new AbortController();
  answers.body(ask(leaving.signal), "a", TEXT);
  await answers.body(ask(), "a", TEXT).cancel();
  expect(answers.bytes).toBe(TEXT.length);
  leaving.abort();
  answers.body(ask(AbortSignal.abort()), "a", TEXT);
  expect(answers.bytes).toBe(0);
});
