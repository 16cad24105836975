import { expect, test } from "bun:test";
import { ERRORS, type ErrorCode } from "@parley/protocol/errors";
import { COMMANDS, type CommandName, codesOf } from "@parley/protocol/realtime";
import fc from "fast-check";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { forAllTests } from "../support/for-all-tests.ts";
import { NASTY_TEXT, nearlyFitting, nearlyJson, type Pools } from "../support/fuzz/arbitrary.ts";
import { FuzzWorld } from "../support/fuzz/fuzz-world.ts";
import { RawSocket } from "../support/servers/raw-socket.ts";
import { type Frame, TestSocket } from "../support/servers/socket.ts";
import { eventually } from "../support/servers/test-server.ts";

/**
 * Anything sent on a socket (protocol §8): every command is answered as declared, nothing is an internal error, and
 * listeners on other sockets miss nothing. A failure prints its seed.
 */
const RUNS = Number(process.env.PARLEY_TEST_FUZZ_RUNS ?? 60);
const SEED = Number(process.env.PARLEY_TEST_FUZZ_SEED ?? 20_260_101);
const FRAMES = 20;
const NAMES = Object.keys(COMMANDS) as CommandName[];
/** Repeated bad frames; too large a frame (Bun says 1006 or 1009); a session that made room for a newer one. */
const CLOSED_WITH = [4400, 1006, 1009, 4401];

const world = await forAllTests(FuzzWorld.make());

/** Commands that are almost right, with a ref by which the response is found. */
interface Sent {
  event: string | null;
  ref: string | null;
  text: string | Uint8Array;
}

function framesOf(pools: Pools): fc.Arbitrary<Sent[]> {
  const commands = fc
    .constantFrom(...NAMES)
    .chain((event) => nearlyFitting(COMMANDS[event].data, pools).map((data) => ({ event, data })));
  const wrong = fc.record({
    event: fc.oneof(fc.constantFrom<unknown>(...NASTY_TEXT, null, 1, [], "toString"), fc.constantFrom(...NAMES)),
    data: fc.jsonValue({ maxDepth: 3 }),
  });
  const text = nearlyJson(fc.record({ event: fc.constantFrom(...NAMES), data: fc.jsonValue(), ref: fc.jsonValue() }));
  const frame = fc.oneof(
    { weight: 12, arbitrary: fc.record({ kind: fc.constant("command" as const), value: commands }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("wrong" as const), value: wrong }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("text" as const), value: text }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant("bytes" as const), value: fc.uint8Array({ maxLength: 60 }) }),
    },
  );
  return fc.array(frame, { minLength: FRAMES / 2, maxLength: FRAMES }).map((frames) =>
    frames.map((sent, index): Sent => {
      const ref = `f${index}`;
      if (sent.kind === "command")
        return { event: sent.value.event, ref, text: JSON.stringify({ ...sent.value, ref }) };
      if (sent.kind === "wrong") return { event: null, ref, text: JSON.stringify({ ...sent.value, ref }) };
      return { event: null, ref: null, text: sent.value };
    }),
  );
}

const compiled = new Map<TSchema, ReturnType<typeof Compile>>();
const seen: string[] = [];

/** Returns what is wrong with the response to a command; undefined if nothing is. */
function problemOf(event: string | null, frame: Frame): string | undefined {
  if (frame.event === "ack") {
    seen.push("ack");
    if (event === null) return undefined;
    const schema: TSchema = COMMANDS[event as CommandName].ack;
    const check = compiled.get(schema) ?? Compile(schema);
    compiled.set(schema, check);
    return check.Check(frame.data) ? undefined : `${event}: the ack is not as documented ${JSON.stringify(frame.data)}`;
  }
  const code = frame.data.code as ErrorCode;
  seen.push(code);
  if (ERRORS[code] === undefined || code === "internal_error") return `${event}: ${JSON.stringify(frame.data)}`;
  if (event === null) return undefined;
  return codesOf(COMMANDS[event as CommandName]).includes(code) ? undefined : `${event}: undeclared ${code}`;
}

/** Listens while others send nonsense: each number must arrive once, in order. */
async function listener(): Promise<Disposable & { finish(): Promise<number> }> {
  const owner = world.caller("owner");
  const socket = await TestSocket.open(world.server.url);
  const joined = await socket.command("channel:join", { channel_slug: "open" });
  return {
    async finish() {
      const { body } = await owner.post("/api/messages", { channel_slug: "open", content: "the last" });
      await socket.next(({ event, data }) => event === "message:new" && data.seq === body.seq);
      const seqs = socket.frames.flatMap(({ event, data }) =>
        event !== "ack" && data?.seq !== undefined ? [data.seq] : [],
      );
      expect(seqs).toEqual(seqs.map((_, n) => joined.data.last_seq + 1 + n));
      return seqs.length;
    },
    [Symbol.dispose]: () => socket.terminate(),
  };
}

test("random commands, almost right or entirely wrong, are answered as declared", async () => {
  using heard = await listener();
  let frames = 0;
  const property = fc.asyncProperty(
    fc.constantFrom("guest", "user", "owner"),
    framesOf(world.pools),
    async (kind, sent) => {
      using socket = await TestSocket.open(world.server.url, world.caller(kind).credential);
      for (const { text } of sent) socket.sendRaw(text);
      await world.caller("owner").post("/api/messages", { channel_slug: "open", content: "for the listener" });
      frames += sent.length;
      let closed: { code: number } | undefined;
      void socket.closed.then((end) => {
        closed = end;
      });
      for (const { event, ref, text } of sent) {
        if (ref === null) continue;
        const answer = await socket.next((frame) => frame.ref === ref).catch((error) => error as Error);
        if (answer instanceof Error) {
          if (closed === undefined) throw new Error(`${text} is not answered`);
          expect(CLOSED_WITH).toContain(closed.code);
          return;
        }
        const problem = problemOf(event, answer);
        if (problem !== undefined) throw new Error(problem);
      }
      for (const frame of socket.frames)
        if (frame.event === "error") expect(frame.data.code).not.toBe("internal_error");
    },
  );
  await fc.assert(property, { seed: SEED, numRuns: RUNS, endOnFailure: true });
  const pushed = await heard.finish();
  const kinds = new Set(seen).size;
  const acks = seen.filter((outcome) => outcome === "ack").length;
  expect(kinds).toBeGreaterThan(12);
  expect(acks).toBeGreaterThan(frames / 10);
  console.log(JSON.stringify({ seed: SEED, frames, answers: seen.length, acks, kinds, pushed }));
});

test("bytes that are not a WebSocket frame harm nobody", async () => {
  using heard = await listener();
  const bytes = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 200 }),
    // Headers of frames: any opcode and reserved bits, masked or not, with a length that does not match.
    fc
      .tuple(fc.nat(255), fc.nat(255), fc.uint8Array({ maxLength: 80 }))
      .map(([first, second, rest]) => Uint8Array.from([first, second, ...rest])),
  );
  const property = fc.asyncProperty(fc.array(bytes, { minLength: 1, maxLength: 4 }), async (parts) => {
    using raw = await RawSocket.open(world.server.url);
    for (const part of parts) raw.tcp.write(part);
    raw.tcp.end();
    await eventually("the server lets go", () => raw.isClosed);
    for (const { opcode, payload } of raw.frames)
      if (opcode === 1) expect(payload.toString()).not.toContain("internal_error");
  });
  await fc.assert(property, { seed: SEED, numRuns: RUNS, endOnFailure: true });
  await heard.finish();
  heard[Symbol.dispose]();
  expect((await world.server.guest.get("/livez")).status).toBe(200);
  await eventually("no socket is left over", async () =>
    /^parley_sockets_open 0$/m.test(await world.server.ctx.metrics.render()),
  );
});
