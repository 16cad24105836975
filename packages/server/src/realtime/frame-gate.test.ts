import { expect, test } from "bun:test";
import type { BrokerMessage } from "./broker/broker.ts";
import { FrameGate } from "./frame-gate.ts";
import { CONTROL_TOPIC } from "./topics.ts";

const typing: BrokerMessage = { event: "typing", frame: "typing" };
const durable = (seq: number, frame = "x"): BrokerMessage => ({ event: "message:new", frame, seq });

function gate() {
  const state = { isOpen: false, overflows: 0 };
  const made = new FrameGate(
    () => state.isOpen,
    () => state.overflows++,
  );
  const delivered: string[] = [];
  const open = () => {
    state.isOpen = true;
    made.open((topic, messages) => delivered.push(`${topic} ${messages.map(({ seq }) => seq)}`));
    return delivered.splice(0);
  };
  return { made, state, open };
}

test("frames are held in order until the gate opens; control messages pass", () => {
  const { made, open } = gate();
  expect(made.passes("c:1", [durable(1), durable(2)])).toBe(false);
  expect(made.passes(CONTROL_TOPIC, [typing])).toBe(true);
  expect(made.passes("c:2", [durable(1)])).toBe(false);
  expect(open()).toEqual(["c:1 1,2", "c:2 1"]);
  expect(made.passes("c:1", [durable(3)])).toBe(true);
  expect(open()).toEqual([]);
});

test("a full gate drops ephemeral events, and a durable event empties it", () => {
  const { made, state, open } = gate();
  made.passes("c:1", [durable(1, "x".repeat(16 * 1024 * 1024))]);
  made.passes("c:1", [typing]);
  expect(state.overflows).toBe(0);
  made.passes("c:1", [durable(2)]);
  expect(state.overflows).toBe(1);
  expect(open()).toEqual([]);
});
