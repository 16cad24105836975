import { expect, test } from "bun:test";
import { brokerConformance } from "./broker.conformance.ts";
import { MemoryBroker, MemoryBus } from "./broker.memory.ts";

brokerConformance("MemoryBroker", async (count) => {
  const bus = new MemoryBus();
  const nodes = Array.from({ length: count }, () => new MemoryBroker({ bus, onError: () => {} }));
  return {
    nodes,
    settle: async () => {},
    cut() {
      bus.isDoubtful = true;
    },
    mend() {
      bus.isDoubtful = false;
    },
    [Symbol.asyncDispose]: async () => {
      for (const node of nodes) await node[Symbol.asyncDispose]();
    },
  };
});

test("an exception of a receiver goes to onError, not to the publisher", async () => {
  const errors: unknown[] = [];
  await using broker = new MemoryBroker({ onError: (error) => errors.push(error) });
  const failure = new Error("a receiver fails");
  broker.onMessages(() => {
    throw failure;
  });
  await broker.subscribe("t");
  broker.publish("t", [{ event: "e", frame: "{}" }]);
  expect(errors).toEqual([failure]);
});
