import { expect, spyOn, test } from "bun:test";
import { SocketConnection } from "./websocket.ts";

const CLOSING = 2;

/** A fake socket whose state the test controls. */
class Socket {
  readyState = 1;
  readonly sent: string[] = [];
  onmessage = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  onerror = null;

  send(text: string): void {
    this.sent.push(text);
  }

  close(): void {
    this.readyState = CLOSING;
  }
}

test("sends nothing on a socket that is closing, even before its close event", () => {
  const socket = new Socket();
  using _made = spyOn(globalThis, "WebSocket").mockImplementation((() => socket) as never);
  const lost: number[] = [];
  const link = new SocketConnection({
    url: "http://parley.example",
    headers: {},
    rateLimit: { frames: 10, windowMs: 1_000 },
    pingMs: 60_000,
    onFrame: () => {},
    onLost: (code) => void lost.push(code),
  });
  link.send("one");
  socket.readyState = CLOSING;
  link.send("two");
  expect([socket.sent, lost]).toEqual([["one"], []]);
  socket.onclose?.({ code: 1012, reason: "" });
  expect(lost).toEqual([1012]);
});
