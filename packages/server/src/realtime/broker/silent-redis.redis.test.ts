import { describe, test } from "bun:test";
import { openSilentBench } from "../../../test/support/cluster/redis-bench.ts";
import { eventually } from "../../../test/support/servers/test-server.ts";

/** The connections that two nodes open at once: for commands, for subscriptions, and one that asks for the cause. */
const ALL = 6;

/** The steps of a node's connections: what the client says, and how much of the answer arrives. */
const STEPS = [
  { word: "", answerBytes: 0, connections: ALL },
  { word: "HELLO", answerBytes: 1, connections: 4 },
  { word: "HELLO", answerBytes: 40, connections: 4 },
  { word: "INFO", answerBytes: 0, connections: 4 },
  { word: "INFO", answerBytes: 100, connections: 4 },
  { word: "SUBSCRIBE", answerBytes: 0, connections: 2 },
  { word: "SUBSCRIBE", answerBytes: 10, connections: 2 },
  { word: "SUBSCRIBE", answerBytes: 10_000, connections: 2 },
  { word: "PUBLISH", answerBytes: 0, connections: 4 },
  { word: "PUBLISH", answerBytes: 2, connections: 4 },
];

describe("a connection to Redis that falls silent", () => {
  test.each(STEPS)(
    "at %j is given up, and the next one carries everything",
    async (step) => {
      await using bench = await openSilentBench(2);
      const [first, second] = bench.pair;
      const heard: number[] = [];
      second.onMessages((_, messages) => void heard.push(...messages.map(({ seq }) => seq ?? -1)));
      await second.subscribe("c:1");
      bench.proxy.silence(step);
      bench.proxy.cut();
      await eventually("both have fallen silent", () => bench.proxy.awaited === 0, 20_000);
      await bench.good();
      await bench.connected();
      first.publish("c:1", [{ event: "e", frame: "1", seq: 1 }]);
      await eventually("it is heard", () => heard.includes(1));
      await second.subscribe("c:2");
      await eventually("a new topic is heard", () => {
        first.publish("c:2", [{ event: "e", frame: "2", seq: 2 }]);
        return heard.includes(2);
      });
    },
    40_000,
  );

  test("while nothing is wrong elsewhere is replaced, whichever direction is dead", async () => {
    await using bench = await openSilentBench(2);
    const [first, second] = bench.pair;
    // A subscription that is never answered: the connection still receives heartbeats.
    bench.proxy.silence({ word: "SUBSCRIBE", answerBytes: 1, connections: 1 });
    await second.subscribe("c:9");
    const heard: number[] = [];
    second.onMessages((_, messages) => void heard.push(...messages.map(({ seq }) => seq ?? -1)));
    await eventually("it has fallen silent", () => bench.proxy.awaited === 0);
    await eventually("a doubt begins", () => second.isDoubtful("c:9"), 10_000);
    await bench.good();
    first.publish("c:9", [{ event: "e", frame: "3", seq: 3 }]);
    await eventually("it is heard", () => heard.includes(3));
  });
});
