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

test("a large response arrives complete and frees its memory once it is read", async () => {
  const answers = new LargeAnswers(LIMITS);
  const text = `${TEXT}\u{1f600}é${"\u{1f600}".repeat(50_000)}`;
  const body = answers.body(ask(), "a", text);
  expect(answers.bytes).toBe(Buffer.byteLength(text));
  expect(await read(body)).toBe(text);
  expect(answers.bytes).toBe(0);
});

test("a network over its budget loses its oldest responses, and other networks keep theirs", async () => {
  const answers = new LargeAnswers(LIMITS);
  const other = answers.body(ask(), "b", TEXT);
  const bodies = Array.from({ length: 5 }, () => answers.body(ask(), "a", TEXT));
  expect(answers.bytes).toBe(4 * TEXT.length);
  expect(await Promise.all([other, ...bodies].map(isCut))).toEqual([false, true, true, false, false, false]);
  expect(answers.bytes).toBe(0);
});

test("over the budget of all networks, the oldest responses are cut off", async () => {
  const answers = new LargeAnswers(LIMITS);
  const bodies = Array.from({ length: 8 }, (_, n) => answers.body(ask(), `network ${n}`, TEXT));
  expect(answers.bytes).toBe(6 * TEXT.length);
  expect(await Promise.all(bodies.map(isCut))).toEqual([true, true, ...Array(6).fill(false)]);
});

test("a response larger than the budget is sent alone", async () => {
  const answers = new LargeAnswers({ network: 10, all: 20 });
  expect(await read(answers.body(ask(), "a", TEXT))).toBe(TEXT);
});

test("a reader that leaves or never begins holds no memory", async () => {
  const answers = new LargeAnswers(LIMITS);
  const leaving = new AbortController();
  answers.body(ask(leaving.signal), "a", TEXT);
  await answers.body(ask(), "a", TEXT).cancel();
  expect(answers.bytes).toBe(TEXT.length);
  leaving.abort();
  answers.body(ask(AbortSignal.abort()), "a", TEXT);
  expect(answers.bytes).toBe(0);
});
