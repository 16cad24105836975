import { describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { processSockets } from "../../src/http/connections/process-sockets.ts";
import { RawHttp } from "../support/servers/raw-http.ts";
import { RawSocket } from "../support/servers/raw-socket.ts";
import { eventually, startTestServer, type TestServer } from "../support/servers/test-server.ts";

/** Connections are counted as often as this machine can, instead of every second. */
const OFTEN = { timing: { jobRate: 50 } };
const sockets = processSockets();

/**
 * Counts the connections that the server holds, of one address or of all. Clients may count more: Linux drops some
 * after the handshake when very many arrive at once, without telling the client.
 */
async function held(server: TestServer, address?: string): Promise<number> {
  const port = Number(new URL(server.url).port);
  if (sockets === null) return 0;
  let count = 0;
  for (let descriptor = (await sockets.descriptorEnd()) - 1; descriptor >= 0; descriptor -= 1) {
    const peer = sockets.peerOf(descriptor);
    if (peer === null || (address !== undefined && sockets.addressIn(peer) !== address)) continue;
    if (sockets.localPort(descriptor) === port) count += 1;
  }
  return count;
}

/**
 * Connections that send nothing or, with `begun`, the beginning of a request. Linux shows a silent connection to the
 * server a second later than one that has sent something.
 */
class Crowd implements Disposable {
  readonly sockets: Socket[] = [];
  open = 0;
  /** Returns how many of them were open at some time. */
  connected = 0;

  constructor(url: string, count: number, { from = "127.0.0.1", begun = false } = {}) {
    const { port } = new URL(url);
    for (let i = 0; i < count; i++) {
      const socket = connect({ port: Number(port), host: "127.0.0.1", localAddress: from });
      socket.on("connect", () => {
        this.open += 1;
        this.connected += 1;
        if (begun) socket.write("GET ");
      });
      socket.on("close", () => this.open--);
      socket.on("error", () => {});
      // Without a reader, the end of the connection would stay unnoticed.
      socket.resume();
      this.sockets.push(socket);
    }
  }

  [Symbol.dispose](): void {
    for (const socket of this.sockets) socket.destroy();
  }
}

describe.skipIf(sockets === null)("open connections of one network", () => {
  test("are cut from 3,000 to 200, while older connections and other addresses stay", async () => {
    await using server = await startTestServer({}, OFTEN);
    using before = await RawHttp.open(server.url);
    expect((await before.ask("GET", "/livez")).status).toBe(200);
    using socket = await RawSocket.open(server.url);
    using crowd = new Crowd(server.url, 3_000);
    await eventually("more than 1,000 were connected", () => crowd.connected > 1_000);
    await eventually("200 are left", async () => (await held(server)) === 200);
    expect([before.isClosed, socket.isClosed]).toEqual([false, false]);
    expect((await before.ask("GET", "/livez")).status).toBe(200);
    using other = new Crowd(server.url, 100, { from: "127.0.0.2", begun: true });
    await eventually("another address has a count of its own", async () => (await held(server, "127.0.0.2")) === 100);
    expect(other.open).toBe(100);
    expect((await before.ask("GET", "/livez")).status).toBe(200);
  });

  test("are not counted for a trusted proxy", async () => {
    const config = { connectionsPerAddress: 5, socketsPerAddress: 5, trustedProxies: ["127.0.0.1"] };
    await using server = await startTestServer(config, OFTEN);
    using proxy = new Crowd(server.url, 40, { begun: true });
    using stranger = new Crowd(server.url, 40, { from: "127.0.0.2", begun: true });
    await eventually("all have connected", () => proxy.connected + stranger.connected === 80);
    await eventually("strangers are held to 5", async () => (await held(server, "127.0.0.2")) === 5);
    expect(proxy.open).toBe(40);
  });

  test("are counted only if they lead to this server", async () => {
    const config = { connectionsPerAddress: 5, socketsPerAddress: 5 };
    await using first = await startTestServer(config, OFTEN);
    await using second = await startTestServer(config, OFTEN);
    using ofSecond = new Crowd(second.url, 5, { begun: true });
    using ofFirst = new Crowd(first.url, 25, { begun: true });
    await eventually("all have connected", () => ofFirst.connected + ofSecond.connected === 30);
    await eventually("the first is held to 5", () => ofFirst.open === 5);
    expect(ofSecond.open).toBe(5);
  });

  test("may be as many as its WebSockets, and unlimited in load tests", async () => {
    await using wide = await startTestServer({ connectionsPerAddress: 5, socketsPerAddress: 30 }, OFTEN);
    await using unlimited = await startTestServer(
      { connectionsPerAddress: 5, socketsPerAddress: 5, rateLimits: "off" },
      OFTEN,
    );
    using many = new Crowd(unlimited.url, 60, { begun: true });
    using some = new Crowd(wide.url, 60, { begun: true });
    await eventually("all have connected", () => many.connected + some.connected === 120);
    await eventually("30 are left", () => some.open === 30);
    expect(many.open).toBe(60);
  });
});
