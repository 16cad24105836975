import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Type } from "typebox";
import { type Answering, AnsweringServer, answer, goOn, sayNothing } from "../../test/support/answering-server.ts";
import { stillClock } from "../../test/support/clock.ts";
import { eventually } from "../../test/support/test-server.ts";
import { createLog } from "../log.ts";
import { RpcServer } from "./rpc-server.ts";

const ok = { status: 200, body: { jsonrpc: "2.0", id: 1, result: "0x1" } };

let far: AnsweringServer;
beforeEach(async () => {
  far = await AnsweringServer.start();
});
afterEach(() => far[Symbol.asyncDispose]());

/** An answer that is on its way is waited for: a slow machine is no silent server. */
function nearTo(answering: Answering, clock = stillClock(), callMs = 20_000) {
  far.answering = answering;
  const log = createLog({ level: "silent", readable: false });
  return new RpcServer({ url: far.url, clock, log, metrics: { chainServerFailed: () => {} }, callMs });
}

const ask = (server: RpcServer): Promise<string> => server.call(Type.String(), "eth_chainId", []);

describe("an answer", () => {
  test.each<[string, Answering]>([
    ["with its length", answer(ok)],
    ["in pieces", (socket) => socket.end(inPieces(JSON.stringify(ok.body)))],
    ["with a mark before it", answer({ status: 200, raw: `\ufeff${JSON.stringify(ok.body)}` })],
  ])("%s is read", async (_, answering) => {
    expect(await ask(nearTo(answering))).toBe("0x1");
  });

  test.each<[string, Answering]>([
    ["without an end", goOn({ status: 200 })],
    ["without an end, that says it is short", goOn({ status: 200, headers: { "content-length": "5" } })],
    ["that says it is long", goOn({ status: 200, headers: { "content-length": "5000000" } })],
  ])("%s is left, and so is its connection", async (_, answering) => {
    await expect(ask(nearTo(answering))).rejects.toMatchObject({ reason: "too_large" });
    await eventually("the connection is closed", () => far.open === 0);
  });

  test("that does not come is not waited for", async () => {
    await expect(ask(nearTo(sayNothing, stillClock(), 500))).rejects.toMatchObject({ reason: "timeout" });
    await eventually("the connection is closed", () => far.open === 0);
  });

  test("in other letters than UTF-8 is none", async () => {
    const raw = Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","id":1,"result":"'),
      Buffer.from([0xff]),
      Buffer.from('"}'),
    ]);
    await expect(ask(nearTo(answer({ status: 200, raw })))).rejects.toMatchObject({ reason: "malformed" });
  });
});

describe("a server's word for its chain", () => {
  test("holds a minute", () => {
    const clock = stillClock();
    const server = nearTo(answer(ok), clock);
    expect(server.isOwn).toBe(false);
    server.own();
    clock.advance(59_999);
    expect(server.isOwn).toBe(true);
    clock.advance(1);
    expect(server.isOwn).toBe(false);
  });

  test("holds no longer than its calls are answered, nor when it says something else", async () => {
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
