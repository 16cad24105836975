import { expect, test } from "bun:test";
import { connect } from "node:net";
import { RpcProxy } from "../support/chains/rpc-proxy.ts";
import { SolanaShim } from "../support/chains/solana-shim.ts";
import { eventually } from "../support/servers/test-server.ts";

test("a call that breaks off or is malformed is not counted, and the next one is answered", async () => {
  await using shim = new SolanaShim();
  await using proxy = new RpcProxy(shim.url);
  for (const url of [shim.url, proxy.url]) {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const head = `POST / HTTP/1.1\r\nHost: ${new URL(url).host}\r\nContent-Length: 100\r\n\r\n{"jsonrpc"`;
    const socket = connect(Number(new URL(url).port), "127.0.0.1", () => {
      socket.write(head, () => socket.destroy());
    });
    socket.on("close", () => resolve());
    await closed;
    expect(await (await fetch(url)).json()).toMatchObject({ error: { code: -32_700 } });
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getGenesisHash", params: [] });
    await eventually("it answers", async () => {
      const answer = await fetch(url, { method: "POST", body });
      return typeof ((await answer.json()) as { result?: unknown }).result === "string";
    });
  }
  expect(new Set([...shim.called, ...proxy.called])).toEqual(new Set(["getGenesisHash"]));
});
