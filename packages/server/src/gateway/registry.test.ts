import { expect, test } from "bun:test";
import { MemoryBroker } from "../realtime/broker/broker.memory.ts";
import { Hub } from "../realtime/hub.ts";
import { Connection, GUEST_VISITOR, type Socket } from "./connection.ts";
import { Laggards, SPARED_BYTES } from "./registry.ts";

/** A socket with unread bytes, subscribed to a topic. */
function socketWith(unread: number) {
  const topics = new Set(["c:1"]);
  const socket = {
    unread,
    getBufferedAmount: () => socket.unread,
    isSubscribed: (topic: string) => topics.has(topic),
    subscribe: (topic: string) => topics.add(topic),
    unsubscribe: (topic: string) => topics.delete(topic),
  };
  const connection = new Connection(1, "127.0.0.1", GUEST_VISITOR);
  connection.socket = socket as unknown as Socket;
  return { socket, connection };
}

test("a socket that reads slowly gets all events but the pieces of streams, until it has read", () => {
  const laggards = new Laggards();
  const slow = socketWith(SPARED_BYTES + 1);
  const fast = socketWith(SPARED_BYTES);
  for (const { connection } of [slow, fast]) laggards.look(connection);
  const broker = new MemoryBroker();
  const hub = new Hub(broker);
  broker.onMessages((topic, messages) => hub.deliver(topic, messages));
  const got: [frame: string, isSlowIn: boolean][] = [];
  hub.attach({
    publish(topic, frame) {
      expect(fast.socket.isSubscribed(topic)).toBe(true);
      got.push([frame, slow.socket.isSubscribed(topic)]);
      return 1;
    },
    subscriberCount: (topic) => (topic === "c:1" ? 2 : 0),
  });
  hub.spareSlow((topic) => laggards.leaveOut(topic));
  hub.deliver("c:1", [{ event: "stream:delta", frame: "piece" }]);
  hub.deliver("c:1", [{ event: "message:new", frame: "message", seq: 1 }]);
  expect(slow.socket.isSubscribed("c:1")).toBe(true);
  slow.socket.unread = 0;
  hub.deliver("c:1", [{ event: "stream:delta", frame: "next piece" }]);
  expect(got).toEqual([
    ["piece", false],
    ["message", true],
    ["next piece", true],
  ]);
});
