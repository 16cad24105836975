import { describe, expect, test } from "bun:test";
import type { Broker, BrokerMessage } from "./broker.ts";

/** Several brokers on one broker; `settle` waits until everything published so far has been delivered. */
export interface BrokerBench extends AsyncDisposable {
  nodes: readonly Broker[];
  settle(): Promise<void>;
}

/** Tests the promises of every broker. Called by the test of each implementation. */
export function brokerConformance(name: string, make: (count: number) => Promise<BrokerBench>): void {
  const hear = (broker: Broker) => {
    const heard: string[] = [];
    broker.onMessages((topic, messages) => {
      for (const message of messages) heard.push(`${topic} ${message.event} ${message.frame} ${message.seq ?? "-"}`);
    });
    return heard;
  };
  const message = (n: number): BrokerMessage => ({ event: "message:new", frame: `{"n":${n}}`, seq: n });

  describe(`${name}, as a broker,`, () => {
    test("delivers a publication to every subscribed node, including the publisher's own", async () => {
      await using bench = await make(3);
      const [first, second, third] = three(bench);
      const heard = [hear(first), hear(second), hear(third)];
      await first.subscribe("c:1");
      await second.subscribe("c:1");
      await third.subscribe("c:2");
      first.publish("c:1", [message(1), message(2)]);
      await bench.settle();
      const both = ['c:1 message:new {"n":1} 1', 'c:1 message:new {"n":2} 2'];
      expect(heard).toEqual([both, both, []]);
    });

    test("keeps the order of one publisher's messages per topic, across calls", async () => {
      await using bench = await make(2);
      const [first, second] = two(bench);
      const heard = hear(second);
      await second.subscribe("c:1");
      for (let n = 1; n <= 200; n += 2) first.publish("c:1", [message(n), message(n + 1)]);
      await bench.settle();
      expect(heard.map((line) => Number(line.split(" ").at(-1)))).toEqual(Array.from({ length: 200 }, (_, i) => i + 1));
    });

    test("delivers a message completely: event, frame, seq and record, and no absent part", async () => {
      await using bench = await make(2);
      const [first, second] = two(bench);
      const heard: BrokerMessage[] = [];
      second.onMessages((_, messages) => heard.push(...messages));
      await second.subscribe("c:1");
      const full: BrokerMessage = {
        event: "message:update",
        frame: '{"event":"message:update","data":{"content":"ü\\u0000\\n😀"}}',
        seq: 9_007_199_254_740_991,
        message: { id: 4, seq: 3, json: '{"id":4}' },
      };
      const passing: BrokerMessage = { event: "typing", frame: "{}" };
      first.publish("c:1", [full, passing]);
      await bench.settle();
      expect(heard).toEqual([full, passing]);
      expect(Object.keys(heard[1] ?? {})).toEqual(["event", "frame"]);
    });

    test("delivers nothing after unsubscribe, and nothing missed after subscribing again", async () => {
      await using bench = await make(2);
      const [first, second] = two(bench);
      const heard = hear(second);
      await second.subscribe("c:1");
      await second.unsubscribe("c:1");
      first.publish("c:1", [message(1)]);
      await bench.settle();
      await second.subscribe("c:1");
      first.publish("c:1", [message(2)]);
      await bench.settle();
      expect(heard).toEqual(['c:1 message:new {"n":2} 2']);
    });

    test("never throws when publishing: without subscribers or messages, with a failing handler, or closed", async () => {
      await using bench = await make(2);
      const [first, second] = two(bench);
      second.onMessages(() => {
        throw new Error("a receiver fails");
      });
      await second.subscribe("c:1");
      first.publish("c:none", [message(1)]);
      first.publish("c:1", []);
      first.publish("c:1", [message(2)]);
      await bench.settle();
      const heard = hear(second);
      first.publish("c:1", [message(3)]);
      await bench.settle();
      expect(heard).toEqual(['c:1 message:new {"n":3} 3']);
      await first[Symbol.asyncDispose]();
      first.publish("c:1", [message(4)]);
      await bench.settle();
      expect(heard).toHaveLength(1);
    });
  });
}

function two(bench: BrokerBench): [Broker, Broker] {
  const [first, second] = bench.nodes;
  if (first === undefined || second === undefined) throw new Error("the bench made too few nodes");
  return [first, second];
}

function three(bench: BrokerBench): [Broker, Broker, Broker] {
  const third = bench.nodes[2];
  if (third === undefined) throw new Error("the bench made too few nodes");
  return [...two(bench), third];
}
