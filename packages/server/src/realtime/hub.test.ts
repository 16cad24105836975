import { expect, test } from "bun:test";
import { MemoryBroker } from "./broker/broker.memory.ts";
import type { BrokerMessage } from "./broker/broker.ts";
import { frameOf } from "./frame-text.ts";
import { Hub } from "./hub.ts";

function start() {
  const broker = new MemoryBroker();
  const calls: string[] = [];
  const subscribe = broker.subscribe.bind(broker);
  const unsubscribe = broker.unsubscribe.bind(broker);
  broker.subscribe = (topic) => {
    calls.push(`+${topic}`);
    return subscribe(topic);
  };
  broker.unsubscribe = (topic) => {
    calls.push(`-${topic}`);
    return unsubscribe(topic);
  };
  const errors: unknown[] = [];
  const hub = new Hub(broker, (error) => errors.push(error));
  broker.onMessages((topic, messages) => hub.deliver(topic, messages));
  return { broker, hub, calls, errors };
}

const message = (n: number): BrokerMessage => ({ event: "e", frame: `${n}`, seq: n });

/**
 * Attaches fake sockets to the hub. `counts` has the number of subscribers of each topic; sockets of the topic `slow`
 * read too slowly. Returns two lists that grow: the published frames, and the calls of the hub's watcher.
 */
function attachSockets(hub: Hub, counts: Record<string, number>, slow?: string) {
  const published: string[] = [];
  const told: [frames: number, isPressed: boolean][] = [];
  hub.watch((frames, isPressed) => told.push([frames, isPressed]));
  hub.attach({
    publish(topic, frame) {
      published.push(`${topic}=${frame}`);
      return topic === slow ? -1 : 1;
    },
    subscriberCount: (topic) => counts[topic] ?? 0,
  });
  return { published, told };
}

test("frames go to Bun's topic one by one and to listeners unchanged, in one turn", () => {
  const { hub } = start();
  const { published, told } = attachSockets(hub, { "c:1": 5, "c:2": 1 }, "c:2");
  const heard: (readonly BrokerMessage[])[] = [];
  hub.listen("c:1", (messages) => heard.push(messages));
  hub.deliver("c:1", [message(1), message(2)]);
  hub.deliver("c:2", [message(3)]);
  expect(published).toEqual(["c:1=1", "c:1=2", "c:2=3"]);
  expect(heard).toEqual([[message(1), message(2)]]);
  expect(told).toEqual([
    [10, false],
    [1, true],
  ]);
});

test("a channel's frames are made and published only in the forms that have subscribers", () => {
  const { hub } = start();
  const counts: Record<string, number> = {};
  const { published, told } = attachSockets(hub, counts);
  const chat_message = { id: 9, channel_id: 1, seq: 1, channel_slug: "sea", username: "ann", files: [] };
  const frame = frameOf("message:new", JSON.stringify({ channel_id: 1, seq: 1, chat_message }));
  const short = { channel_id: 1, seq: 1, chat_message: { id: 9, channel_slug: "sea", username: "ann" } };
  const sent: BrokerMessage = {
    event: "message:new",
    seq: 1,
    get frame() {
      if (Object.keys(counts).length === 0) throw new Error("nobody listens");
      return frame;
    },
  };
  hub.deliver("c:1", [sent]);
  Object.assign(counts, { "c:1": 2, "kc:1": 3 });
  hub.deliver("c:1", [sent]);
  expect(published).toEqual([`c:1=${frame}`, `kc:1=${frameOf("message:new", JSON.stringify(short))}`]);
  expect(told).toEqual([
    [2, false],
    [3, false],
  ]);
});

test("sockets with compact frames get the events that are delivered together in one frame", () => {
  const { hub } = start();
  const { published, told } = attachSockets(hub, { "c:1": 2, "kc:1": 3 }, "kc:1");
  const [one, two] = ["one", "two"].map((name): BrokerMessage => ({ event: "e", frame: frameOf("e", `"${name}"`) }));
  if (one === undefined || two === undefined) throw new Error("no messages");
  hub.deliver("c:1", [one, two]);
  expect(published).toEqual([`c:1=${one.frame}`, `c:1=${two.frame}`, `kc:1=[${one.frame},${two.frame}]`]);
  expect(told).toEqual([
    [4, false],
    [3, true],
  ]);
});

test("the broker is informed only of the first and the last holder of a topic", async () => {
  const { hub, calls } = start();
  await hub.retain("c:1");
  const stop = hub.listen("c:1", () => {});
  await stop.ready;
  hub.release("c:1");
  expect(calls).toEqual(["+c:1"]);
  stop();
  stop();
  expect(calls).toEqual(["+c:1", "-c:1"]);
  expect(hub.topics).toBe(0);
  hub.release("c:1");
  expect(calls).toHaveLength(2);
});

test("a listener can end itself or another while it runs, and one that throws does not stop the rest", async () => {
  const { hub, broker, errors } = start();
  const heard: string[] = [];
  const stopA = hub.listen("c:1", () => {
    heard.push("a");
    stopA();
  });
  hub.listen("c:1", () => {
    throw new Error("b fails");
  });
  hub.listen("c:1", () => heard.push("c"));
  broker.publish("c:1", [message(1)]);
  broker.publish("c:1", [message(2)]);
  expect(heard).toEqual(["a", "c", "c"]);
  expect(errors).toHaveLength(2);
});

test("the same function can listen twice and end once", () => {
  const { hub } = start();
  let heard = 0;
  const listener = () => {
    heard += 1;
  };
  const stop = hub.listen("c:1", listener);
  hub.listen("c:1", listener);
  hub.deliver("c:1", [message(1)]);
  stop();
  hub.deliver("c:1", [message(2)]);
  expect(heard).toBe(3);
});
