import { describe, expect, test } from "bun:test";
import { eventually } from "../../../test/support/servers/test-server.ts";
import { CONTROL_TOPIC } from "../topics.ts";
import type { Broker, BrokerMessage } from "./broker.ts";

/** Several brokers on one broker; `settle` waits until everything published so far has been delivered. */
export interface BrokerBench extends AsyncDisposable {
  nodes: readonly Broker[];
  settle(): Promise<void>;
  /** Cuts the bus off from all nodes, and joins it to them again. */
  cut(): void;
  mend(): void;
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

    test("gives a node its own messages before publish returns, and only once", async () => {
      await using bench = await make(2);
      const [first, second] = two(bench);
      const heard = hear(first);
      await first.subscribe("c:1");
      await second.subscribe("c:1");
      first.publish("c:1", [message(1)]);
      first.publish("c:2", [message(2)]);
      first.publishEverywhere(CONTROL_TOPIC, [message(3)]);
      expect(heard).toEqual(['c:1 message:new {"n":1} 1']);
      await first.subscribe(CONTROL_TOPIC);
      first.publishEverywhere(CONTROL_TOPIC, [message(4)]);
      expect(heard.splice(0)).toHaveLength(2);
      await bench.settle();
      expect(heard).toEqual([]);
    });

    test("is doubtful while it is cut off, good again afterwards, and reports both", async () => {
      await using bench = await make(2);
      const [first, second] = two(bench);
      const seen: boolean[] = [];
      second.onHealth(() => seen.push(second.isDoubtful("c:1")));
      const heard = [hear(first), hear(second)];
      await first.subscribe("c:1");
      await second.subscribe("c:1");
      expect([first, second].map((node) => node.isDoubtful("c:1"))).toEqual([false, false]);
      bench.cut();
      await eventually("the doubt begins", () => [first, second].every((node) => node.isDoubtful("c:1")));
      second.publish("c:1", [message(1)]);
      await second.subscribe("c:2");
      bench.mend();
      const isDoubtful = () => [first, second].some((node) => node.isDoubtful("c:1")) || second.isDoubtful("c:2");
      await eventually("the doubt ends", () => !isDoubtful(), 20_000);
      expect(seen.at(0)).toBe(true);
      expect(seen.at(-1)).toBe(false);
      for (const lines of heard) lines.length = 0;
      first.publish("c:1", [message(2)]);
      first.publish("c:2", [message(3)]);
      await eventually("both arrive", () => heard[1]?.length === 2);
      await bench.settle();
      expect(heard.map((lines) => lines.length)).toEqual([1, 2]);
    });

    test("delivers messages of every size, or reports that the database has them", async () => {
      await using bench = await make(2);
      const [first, second] = two(bench);
      const heard: BrokerMessage[] = [];
      const gaps: unknown[] = [];
      second.onMessages((_, messages) => heard.push(...messages));
      second.onGap((topic, seq) => gaps.push([topic, seq]));
      await second.subscribe("c:1");
      const texts = [10, 50_000, 63_000, 1_048_576, 12].map((length) =>
        JSON.stringify({ content: "€".repeat(length / 3) }),
      );
      const sent = texts.map((json, at): BrokerMessage => {
        const frame = `{"event":"message:new","data":{"seq":${at + 1},"chat_message":${json}}}`;
        return { event: "message:new", frame, seq: at + 1, message: { id: at, seq: at + 1, json } };
      });
      const passing: BrokerMessage = { event: "large", frame: "x".repeat(1_048_576) };
      first.publish("c:1", [...sent, passing]);
      await bench.settle();
      const [short, half, full, , last] = sent;
      if (gaps.length === 0) expect(heard).toEqual([...sent, passing]);
      else {
        expect(heard).toEqual([short, half, full, last, passing] as BrokerMessage[]);
        expect(gaps).toEqual([["c:1", 4]]);
      }
    });

    test("delivers ten thousand messages of one publication", async () => {
      await using bench = await make(2);
      const [first, second] = two(bench);
      const heard = hear(second);
      await second.subscribe("c:1");
      const messages = Array.from({ length: 10_000 }, (_, n) => message(n));
      first.publish("c:1", messages);
      await bench.settle();
      expect(heard).toEqual(messages.map(({ frame, seq }) => `c:1 message:new ${frame} ${seq}`));
    });

    test("subscribes to many topics at once", async () => {
      await using bench = await make(2);
      const [first, second] = two(bench);
      const heard = hear(second);
      const topics = Array.from({ length: 6_000 }, (_, n) => `c:${n}`);
      await Promise.all(topics.map((topic) => second.subscribe(topic)));
      for (const topic of topics) first.publish(topic, [message(1)]);
      await bench.settle();
      expect(heard).toHaveLength(topics.length);
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
        message: { id: 4, seq: 3, json: '{"id":4}', reacted: true, threaded: true, hidden: true, featured: true },
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
