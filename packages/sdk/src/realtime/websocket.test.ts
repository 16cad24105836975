import { expect, spyOn, test } from "bun:test";
import { ParleyClient } from "../client.ts";
import { SocketConnection, type SocketParts } from "./websocket.ts";

const CLOSING = 2;

/** A fake socket whose state the test controls. */
class Socket {
  readyState = 1;
  readonly sent: string[] = [];
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  onerror = null;

  send(text: string): void {
    this.sent.push(text);
  }

  close(): void {
    this.readyState = CLOSING;
  }
}

/** Connects through a fake socket. */
function connect({ onFrame = () => {}, onLost = () => {} }: Partial<Pick<SocketParts, "onFrame" | "onLost">>) {
  const socket = new Socket();
  using _made = spyOn(globalThis, "WebSocket").mockImplementation((() => socket) as never);
  const link = new SocketConnection({
    url: "http://parley.example",
    headers: {},
    rateLimit: { frames: 10, windowMs: 1_000 },
    pingMs: 60_000,
    onFrame,
    onLost,
  });
  return { socket, link };
}

test("sends nothing on a socket that is closing, even before its close event", () => {
  const lost: number[] = [];
  const { socket, link } = connect({ onLost: (code) => void lost.push(code) });
  link.send("one");
  socket.readyState = CLOSING;
  link.send("two");
  expect([socket.sent, lost]).toEqual([["one"], []]);
  socket.onclose?.({ code: 1012, reason: "" });
  expect(lost).toEqual([1012]);
});

test("reads the events of one frame in order, and none after its owner has dropped the socket", () => {
  const read: unknown[] = [];
  const { socket, link } = connect({
    onFrame({ data }) {
      read.push(data);
      if (data === 3) link.drop();
    },
  });
  const events = (...all: number[]) => JSON.stringify(all.map((data) => ({ event: "typing", data })));
  socket.onmessage?.({ data: events(1, 2) });
  socket.onmessage?.({ data: events(3, 4) });
  expect(read).toEqual([1, 2, 3]);
});

/** Runs as on a runtime that has no WebSocket. */
function withoutWebSocket<T>(act: () => T): T {
  const { WebSocket } = globalThis;
  Reflect.deleteProperty(globalThis, "WebSocket");
  try {
    return act();
  } finally {
    globalThis.WebSocket = WebSocket;
  }
}

const client = new ParleyClient({ url: "http://parley.example", cookie: "parley_session=1" });

test("in a runtime without WebSocket the error says to pass one, and nothing is retried", () => {
  expect(() => withoutWebSocket(() => client.realtime())).toThrow("install the package ws");
});

test("opens sockets of the class that the options name, with the session's cookie", () => {
  const opened: unknown[][] = [];
  class Passed extends Socket {
    constructor(...args: unknown[]) {
      super();
      opened.push(args);
    }
  }
  const realtime = withoutWebSocket(() => client.realtime({ WebSocket: Passed }));
  expect(opened).toEqual([["ws://parley.example/api/ws?frames=compact", { headers: { cookie: "parley_session=1" } }]]);
  realtime.close();
});
