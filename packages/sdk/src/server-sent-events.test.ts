import { expect, test } from "bun:test";
import fc from "fast-check";
import { readEvents } from "./server-sent-events.ts";

function streamOf(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

const never = new AbortController().signal;

test("reads whole events, however the stream is divided into chunks", async () => {
  const text =
    'retry: 1000\n\nid: @5/a\n\nevent: message:new\nid: 1:7\ndata: {"text":"héllo 👋"}\n\n: heartbeat\n\ndata: a\ndata: b\r\n\r\n';
  const bytes = new TextEncoder().encode(text);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 12 }), async (cuts) => {
      const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
      const chunks = places.slice(1).map((end, n) => bytes.slice(places[n], end));
      const events = await Array.fromAsync(readEvents(streamOf(chunks), never));
      expect(events).toEqual([
        null,
        { event: "message", id: "@5/a", data: null },
        { event: "message:new", id: "1:7", data: '{"text":"héllo 👋"}' },
        null,
        { event: "message", id: undefined, data: "a\nb" },
      ]);
    }),
  );
});

test("drops an incomplete event at the end of the stream", async () => {
  expect(await Array.fromAsync(readEvents(streamOf([new TextEncoder().encode("data: half")]), never))).toEqual([]);
});
