import { expect, test } from "bun:test";
import { parleyCompact } from "./parley.ts";

function read(text: string): unknown[] {
  const reports: unknown[] = [];
  const bytes = new TextEncoder().encode(`..${text}`);
  parleyCompact.read(bytes, 2, bytes.length - 2, (...report) => reports.push(report));
  return reports;
}

const message = (seq: number) => JSON.stringify({ event: "message:new", data: { seq } });

test("the events of a compact frame are reported by kind with their texts, also when the same frame comes again", () => {
  const typing = JSON.stringify({ event: "typing", data: {} });
  const frame = `[${message(1)},${typing},${message(2)}]`;
  const reports = [
    ["delivery", [message(1), message(2)]],
    ["other", [typing]],
  ];
  for (let i = 0; i < 2; i += 1) expect(read(frame)).toEqual(reports);
});

test("a frame of the same length with another number is not taken for a known one", () => {
  read(`[${message(1)},${message(2)}]`);
  expect(read(`[${message(1)},${message(3)}]`)).toEqual([["delivery", [message(1), message(3)]]]);
});

test("a frame with one event is reported by its kind", () => {
  expect([read(message(1)), read('{"event":"ack","ref":"s"}')]).toEqual([[["delivery"]], [["ack"]]]);
});
