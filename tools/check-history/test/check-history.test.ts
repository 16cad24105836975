import { describe, expect, test } from "bun:test";
import { Elle } from "../elle.ts";
import type { Invoke, Line, Message, Outcome } from "../lines.ts";
import type { Kind } from "../problems.ts";
import { hashOf } from "./model.ts";
import { problemsOf } from "./problems-of.ts";

const HEAD: Line = { type: "history", version: 1, seed: 1, nodes: ["n"] };
const [A, B, C] = [hashOf("a"), hashOf("b"), hashOf("c")];
type Step = Omit<Invoke, "t" | "type" | "op"> & { ok?: Partial<Outcome>; end?: "fail" | "unknown" };

/** A history of calls that follow one another; `end`: with a full read of these messages. */
function history(steps: readonly (Step | Exclude<Line, { type: "history" }>)[], end: readonly Message[]): Line[] {
  const lines: Line[] = [HEAD];
  let [t, op] = [0, 0];
  const add = (line: object) => lines.push({ ...line, t: ++t } as Line);
  const call = ({ ok, end: bad, ...invoke }: Step) => {
    add({ type: "invoke", op: ++op, ...invoke });
    add({ type: bad ?? "ok", op, ...ok });
  };
  for (const step of steps) "type" in step ? add(step) : call(step);
  const messages = [...end];
  const read = { messages, last_seq: end.length, more: false };
  call({ f: "page", client: "judge", node: "n", channel: 1, after: 0, final: true, ok: read });
  add({ type: "end" });
  return lines;
}

const send = (hash: string, client = "w"): Step => ({ f: "send", client, channel: 1, hash, key: hash });
const sent = (hash: string, seq: number, more: Partial<Outcome> = {}, client = "w"): Step => ({
  ...send(hash, client),
  ok: { seq, id: seq, ...more },
});
const page = (messages: Message[], last_seq: number): Step => ({
  f: "page",
  client: "p",
  node: "n",
  channel: 1,
  ok: { messages, last_seq },
});
const join = (ok: Partial<Outcome>, after?: number): Step => ({
  f: "join",
  client: "r",
  channel: 1,
  ...(after === undefined ? {} : { after }),
  ok: { epoch: "e", ...ok },
});
const see = (seq: number, hash: string) => ({
  type: "see" as const,
  t: 0,
  client: "r",
  channel: 1,
  seq,
  id: seq,
  hash,
});
const [a, b, c]: [Message, Message, Message] = [
  [1, 1, A],
  [2, 2, B],
  [3, 3, C],
];

test.each<[string, Kind[], Line[]]>([
  ["nothing wrong", [], history([sent(A, 1), sent(B, 2), page([a, b], 2)], [a, b])],
  [
    "a message that was acknowledged and is nowhere",
    ["history", "lost", "stale"],
    history([sent(A, 1), sent(B, 2)], [a]),
  ],
  [
    "a message under another number",
    ["doubled", "lost", "moved"],
    history(
      [sent(A, 1), page([[1, 1, A]], 1), sent(B, 2)],
      [
        [1, 2, B],
        [2, 1, A],
      ],
    ),
  ],
  ["a message that is there twice", ["doubled"], history([sent(A, 1)], [a, [2, 9, A]])],
  ["two acknowledgements of one message", ["doubled"], history([sent(A, 1), sent(A, 2, { repeated: true })], [a, b])],
  [
    "a later message with a lower number",
    ["order"],
    history(
      [sent(A, 2), sent(B, 1)],
      [
        [1, 1, B],
        [2, 2, A],
      ],
    ),
  ],
  ["a message that was shown before it was sent", ["lost", "order"], history([page([a], 1), sent(A, 1)], [a])],
  ["a refused message that is there", ["ghost"], history([{ ...send(A), end: "fail" }], [a])],
  [
    "a refusal after an attempt with an unknown outcome",
    [],
    history(
      [
        { ...send(A), end: "unknown" },
        { ...send(A), end: "fail" },
      ],
      [a],
    ),
  ],
  ["an unknown outcome, stored", [], history([{ ...send(A), end: "unknown" }, sent(B, 2)], [a, b])],
  ["an unknown outcome, not stored", [], history([{ ...send(C), end: "unknown" }, sent(A, 1)], [a])],
  [
    "an unknown outcome that appears below a page without it",
    ["moved"],
    history([{ ...send(C), end: "unknown" }, page([a, b], 2)], [a, [2, 3, C], [3, 2, B]]),
  ],
  ["a page that misses what was acknowledged", ["stale"], history([sent(A, 1), sent(B, 2), page([a], 1)], [a, b])],
  ["a page with a gap", ["gap"], history([page([a, c], 3)], [a, b, c])],
  ["two nodes that disagree", ["moved"], history([page([[1, 1, B]], 1)], [a])],
  ["a key with two messages", ["key"], history([sent(A, 1), { ...sent(B, 2), key: A }], [a, b])],
  ["a new key that is called known", ["key"], history([sent(A, 1, { repeated: true })], [a])],
  ["a push after a gap", ["gap"], history([join({ last_seq: 0 }), see(1, A), see(3, C)], [a, b, c])],
  ["a push that came before", ["doubled"], history([join({ last_seq: 0 }), see(1, A), see(1, A)], [a])],
  [
    "a resume that misses one",
    ["resume"],
    history(
      [sent(A, 1), join({ last_seq: 1 }), sent(B, 2), join({ last_seq: 2, recovered: true, messages: [] }, 1)],
      [a, b],
    ),
  ],
  [
    "a resume that says so",
    [],
    history([sent(A, 1), join({ last_seq: 1 }), sent(B, 2), join({ last_seq: 2, recovered: false }, 1)], [a, b]),
  ],
  [
    "a resume that says nothing",
    ["resume"],
    history([sent(A, 1), join({ last_seq: 1 }), join({ last_seq: 1 }, 1)], [a]),
  ],
  [
    "a resume into another epoch",
    ["resume"],
    history([sent(A, 1), join({ last_seq: 1 }), join({ last_seq: 1, recovered: true, epoch: "f" }, 1)], [a]),
  ],
  ["a mention that the agent never got", ["inbox"], history([{ ...sent(A, 1), mentions: ["bot"] }], [a])],
  [
    "a mention that the agent got",
    [],
    history(
      [
        { ...sent(A, 1), mentions: ["bot"] },
        { f: "inbox", client: "bot", ok: { items: [[5, 1]] } },
      ],
      [a],
    ),
  ],
  [
    "an item after its acknowledgement",
    ["inbox"],
    history(
      [
        { f: "ack", client: "bot", item: 5, ok: {} },
        { f: "inbox", client: "bot", ok: { items: [[5, 1]] } },
      ],
      [],
    ),
  ],
  [
    "a ledger with a difference",
    ["money"],
    history([{ f: "ledger", client: "judge", ok: { sums: { points: "3" } } }], []),
  ],
  [
    "a budget that is overspent",
    ["budget"],
    history([{ f: "budget", client: "bot", ok: { limit: "10", spent: "11" } }], []),
  ],
  [
    "a call after the right has ended",
    ["revoked"],
    history([{ f: "revoke", client: "boss", subject: "w", ok: {} }, sent(A, 1)], [a]),
  ],
  [
    "a full read that is missing",
    ["history", "lost"],
    history([sent(A, 1)], []).filter(
      (line) => !("client" in line && line.client === "judge") && !(line.type === "ok" && line.op === 2),
    ),
  ],
  ["an answer without a call", ["history"], history([{ type: "ok", t: 0, op: 99 }], [])],
])("%s: %p", (_, kinds, lines) => {
  expect(problemsOf(lines)).toEqual(kinds);
});

describe("claims of a packet", () => {
  const claim = (client: string, amount: string, more: Partial<Outcome> = {}): Step => ({
    f: "claim",
    client,
    packet: 1,
    ok: { amount, ...more },
  });
  const packet = (claims: [string, string][], more: Partial<Outcome> = {}): Step => ({
    f: "packet",
    client: "judge",
    packet: 1,
    final: true,
    ok: { total: "10", shares: 3, refunded: "0", claims, ...more },
  });

  test.each<[string, Kind[], Step[]]>([
    [
      "add up",
      [],
      [
        claim("x", "4"),
        claim("y", "6", {}),
        packet([
          ["x", "4"],
          ["y", "6"],
        ]),
      ],
    ],
    ["add up after a refund", [], [claim("x", "4"), packet([["x", "4"]], { refunded: "6" })]],
    ["are repeated", [], [claim("x", "4"), claim("x", "4", { repeated: true }), packet([["x", "4"]])]],
    ["are paid twice", ["money"], [claim("x", "4"), claim("x", "3"), packet([["x", "4"]])]],
    ["are lost", ["money"], [claim("x", "4"), packet([])]],
    [
      "are too many",
      ["money"],
      [
        packet([
          ["w", "1"],
          ["x", "1"],
          ["y", "1"],
          ["z", "1"],
        ]),
      ],
    ],
    [
      "are more than the packet",
      ["money"],
      [
        packet([
          ["x", "8"],
          ["y", "3"],
        ]),
      ],
    ],
    ["leave a rest behind", ["money"], [packet([["x", "8"]], { refunded: "1" })]],
    ["are never read", ["history"], [claim("x", "4")]],
  ])("%s: %p", (_, kinds, steps) => {
    expect(problemsOf(history(steps, []))).toEqual(kinds);
  });
});

test("a line that is no JSON, and a time that goes back, make a history worthless", () => {
  const good = history([sent(A, 1)], [a]);
  expect(problemsOf([...good.slice(0, 1), "{", ...good.slice(1)])).toEqual(["history"]);
  const [head, first, second, ...rest] = good;
  if (head === undefined || first === undefined || second === undefined || !("t" in first))
    throw new Error("too short");
  expect(problemsOf([head, { ...first, t: 99 }, second, ...rest])).toEqual(["history"]);
});

test("Elle gets sends, and pages that show a whole channel", () => {
  const lines: string[] = [];
  const elle = new Elle((line) => lines.push(line));
  for (const line of history([sent(A, 1), { ...send(B), end: "unknown" }, page([b], 2)], [a, b])) elle.take(line);
  expect(elle.skipped).toBe(1);
  expect(lines).toEqual([
    `{:index 0, :type :invoke, :process 0, :time 1000, :f :txn, :value [[:append 1 "${A}"]]}`,
    `{:index 1, :type :ok, :process 0, :time 2000, :f :txn, :value [[:append 1 "${A}"]]}`,
    `{:index 2, :type :invoke, :process 0, :time 3000, :f :txn, :value [[:append 1 "${B}"]]}`,
    `{:index 3, :type :info, :process 0, :time 4000, :f :txn, :value [[:append 1 "${B}"]]}`,
    "{:index 4, :type :invoke, :process 1, :time 5000, :f :txn, :value [[:r 1 nil]]}",
    "{:index 5, :type :fail, :process 1, :time 6000, :f :txn, :value [[:r 1 nil]]}",
    "{:index 6, :type :invoke, :process 2, :time 7000, :f :txn, :value [[:r 1 nil]]}",
    `{:index 7, :type :ok, :process 2, :time 8000, :f :txn, :value [[:r 1 ["${A}" "${B}"]]]}`,
  ]);
});
