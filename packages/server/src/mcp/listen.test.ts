import { expect, test } from "bun:test";
import { bounded } from "./listen.ts";

/** A stream as the library makes it: written to whether it is read or not. */
function written() {
  let out: ReadableStreamDefaultController<Uint8Array> | undefined;
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      out = controller;
    },
    cancel() {
      isCancelled = true;
    },
  });
  const subscription = { onTold: (_told: number) => {} };
  const response = bounded(new Response(body, { headers: { "content-type": "text/event-stream" } }), subscription);
  let told = 0;
  const tell = () => {
    out?.enqueue(new TextEncoder().encode(`data: ${++told}\n\n`));
    subscription.onTold(told);
  };
  return { response, tell, isCancelled: () => isCancelled };
}

test("a stream that is read goes on, whatever it has carried", async () => {
  const { response, tell, isCancelled } = written();
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const reader = response.body?.getReader();
  for (let n = 1; n <= 500; n++) {
    tell();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe(`data: ${n}\n\n`);
  }
  expect(isCancelled()).toBe(false);
});

test("a stream that nobody reads ends when over 100 notifications wait", () => {
  const { tell, isCancelled } = written();
  for (let n = 0; n < 100; n++) tell();
  expect(isCancelled()).toBe(false);
  for (let n = 0; n < 10; n++) if (!isCancelled()) tell();
  expect(isCancelled()).toBe(true);
});
