import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Socket } from "node:net";
import { Type } from "typebox";
import { stillClock } from "../../../test/support/clock.ts";
import {
  type Answering,
  AnsweringServer,
  type Asked,
  answer,
  goOn,
  sayNothing,
} from "../../../test/support/servers/answering-server.ts";
import { eventually } from "../../../test/support/servers/test-server.ts";
import { createLog } from "../../logging/log.ts";
import { RpcRefusal } from "./failure.ts";
import { RpcServer } from "./server.ts";

const NONE: Asked = { method: "POST", target: "/", headers: {} };
const ok = { status: 200, body: { jsonrpc: "2.0", id: 1, result: "0x1" } };

let far: AnsweringServer;
beforeEach(async () => {
  far = await AnsweringServer.start();
});
afterEach(() => far[Symbol.asyncDispose]());

/** A pending answer is waited for: a slow machine is no silent server. */
function nearTo(answering: Answering, clock = stillClock(), callMs = 20_000) {
  far.answering = answering;
  const log = createLog({ level: "silent", readable: false });
  return new RpcServer({ url: far.url, clock, log, metrics: { chainServerFailed: () => {} }, callMs });
}

const ask = (server: RpcServer): Promise<string> => server.call(Type.String(), "eth_chainId", []);

describe("an RPC response", () => {
  test.each<[string, Answering]>([
    ["with its length", answer(ok)],
    ["in pieces", (socket) => socket.end(inPieces(JSON.stringify(ok.body)))],
    ["with a byte order mark", answer({ status: 200, raw: `\ufeff${JSON.stringify(ok.body)}` })],
  ])("%s is read", async (_, answering) => {
    expect(await ask(nearTo(answering))).toBe("0x1");
  });

  test.each<[string, Answering]>([
    ["without an end", goOn({ status: 200 })],
    ["without an end and with a short Content-Length", goOn({ status: 200, headers: { "content-length": "5" } })],
    ["with a long Content-Length", goOn({ status: 200, headers: { "content-length": "5000000" } })],
  ])("%s is abandoned with its connection", async (_, answering) => {
    await expect(ask(nearTo(answering))).rejects.toMatchObject({ reason: "too_large" });
    await eventually("the connection is closed", () => far.open === 0);
  });

  test("that never arrives is abandoned", async () => {
    await expect(ask(nearTo(sayNothing, stillClock(), 500))).rejects.toMatchObject({ reason: "timeout" });
    await eventually("the connection is closed", () => far.open === 0);
  });

  test("that is not UTF-8 is rejected", async () => {
    const raw = Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","id":1,"result":"'),
      Buffer.from([0xff]),
      Buffer.from('"}'),
    ]);
    await expect(ask(nearTo(answer({ status: 200, raw })))).rejects.toMatchObject({ reason: "malformed" });
  });
});

describe("the cost of a hostile RPC server", () => {
  const saying = (result: unknown) => answer({ status: 200, body: { jsonrpc: "2.0", id: 1, result } });

  test("is bounded by the method: a response to a small call is not read at the length of a receipt", async () => {
    const long = saying("1".repeat(100_000));
    await expect(ask(nearTo(long))).rejects.toMatchObject({ reason: "too_large" });
    const receipt = nearTo(long).call(Type.String(), "eth_getTransactionReceipt", []);
    expect(await receipt).toHaveLength(100_000);
  });

  test("is bounded because errors are cut before regular expressions match them", async () => {
    const message = "fee ".repeat(15_000);
    const body = { jsonrpc: "2.0", id: 1, error: { code: -32_000, message } };
    const refusal = await ask(nearTo(answer({ status: 200, body }))).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(RpcRefusal);
    expect((refusal as RpcRefusal).text).toBe(message.slice(0, 500));
  });

  test("is bounded because endless brackets are not parsed, except in strings", async () => {
    const nested = (depth: number) => {
      const raw = `{"jsonrpc":"2.0","id":1,"result":${"[".repeat(depth)}${"]".repeat(depth)}}`;
      return nearTo(answer({ status: 200, raw })).call(Type.Unknown(), "eth_chainId", []);
    };
    expect(await nested(63)).toBeArray();
    await expect(nested(64)).rejects.toMatchObject({ reason: "malformed" });
    const text = `${"[".repeat(100)}\\"{`;
    expect(await ask(nearTo(saying(text)))).toBe(text);
  });

  test("is bounded to 16 concurrent requests, and aborted calls leave the queue", async () => {
    const server = nearTo(sayNothing, stillClock(), 20_000);
    const questions = Array.from({ length: 20 }, () => new AbortController());
    const asked = questions.map(({ signal }) =>
      server.call(Type.String(), "eth_chainId", [], signal).catch((error) => error.reason),
    );
    await eventually("16 are asked", () => far.asked.length === 16);
    for (const question of questions.slice(14)) question.abort();
    expect(await Promise.all(asked.slice(14))).toEqual(Array(6).fill("timeout"));
    far.answering = answer(ok);
    // The two aborted calls made room.
    await expect(server.call(Type.String(), "eth_chainId", [])).rejects.toMatchObject({ reason: "malformed" });
    expect(far.asked.length).toBe(17);
    for (const question of questions) question.abort();
    await Promise.all(asked);
  });
});

describe("an RPC server", () => {
  const metered = async (answering: Answering) => {
    const server = nearTo(answering);
    for (let i = 0; i < 5; i += 1) await ask(server).catch(() => {});
    return ask(server).catch((error) => error.reason);
  };

  test("rests after five failures of its own", async () => {
    expect(await metered(answer({ status: 503 }))).toBe("resting");
    expect(await metered(answer({ status: 200, body: {} }))).toBe("resting");
  });

  test("does not rest because strangers look up transactions that are huge or lack a field", async () => {
    expect(await metered(goOn({ status: 200 }))).toBe("too_large");
    const withoutField = (socket: Socket) => {
      const id = far.asked.length;
      answer({ status: 200, body: { jsonrpc: "2.0", id, result: { status: null } } })(
        socket,
        far.asked[id - 1] ?? NONE,
      );
    };
    far.asked.length = 0;
    expect(await metered(withoutField)).toBe("malformed");
  });
});

describe("an RPC server's chain id", () => {
  test("is trusted for a minute", () => {
    const clock = stillClock();
    const server = nearTo(answer(ok), clock);
    expect(server.isOwn).toBe(false);
    server.own();
    clock.advance(59_999);
    expect(server.isOwn).toBe(true);
    clock.advance(1);
    expect(server.isOwn).toBe(false);
  });

  test("is asked again sooner if calls fail or the server reports another one", async () => {
    const server = nearTo(answer({ status: 503 }));
    server.own();
    await expect(ask(server)).rejects.toMatchObject({ reason: "status" });
    expect(server.isOwn).toBe(false);
    server.own();
    server.disown();
    expect(server.isOwn).toBe(false);
  });
});

function inPieces(text: string): string {
  const pieces = [...text].map((letter) => `1\r\n${letter}\r\n`);
  return `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${pieces.join("")}0\r\n\r\n`;
}
