import { describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { HEAD_SECONDS, IDLE_SECONDS } from "@parley/protocol/limits";
import { processSockets } from "../../src/http/connections/process-sockets.ts";
import { RawHttp } from "../support/servers/raw-http.ts";
import { RawSocket } from "../support/servers/raw-socket.ts";
import { eventually, startTestServer, type TestServer } from "../support/servers/test-server.ts";

/** Bun checks its timeouts every 4 s. */
const TICK_SECONDS = 4;
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

/** Connections that send nothing. */
class Crowd implements Disposable {
  readonly sockets: Socket[] = [];
  open = 0;
  /** Returns how many of them were open at some time. */
  connected = 0;

  constructor(url: string, count: number, localAddress = "127.0.0.1") {
    const { port } = new URL(url);
    for (let i = 0; i < count; i++) {
      const socket = connect({ port: Number(port), host: "127.0.0.1", localAddress });
      socket.on("connect", () => {
        this.open += 1;
        this.connected += 1;
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
    await using server = await startTestServer();
    using before = await RawHttp.open(server.url);
    expect((await before.ask("GET", "/livez")).status).toBe(200);
    using socket = await RawSocket.open(server.url);
    using crowd = new Crowd(server.url, 3_000);
    await eventually("more than 1,000 were connected", () => crowd.connected > 1_000);
    await eventually("200 are left", async () => (await held(server)) === 200);
    expect([before.isClosed, socket.isClosed]).toEqual([false, false]);
    expect((await before.ask("GET", "/livez")).status).toBe(200);
    using other = new Crowd(server.url, 100, "127.0.0.2");
    await eventually("another address has a count of its own", async () => (await held(server, "127.0.0.2")) === 100);
    expect(other.open).toBe(100);
    expect((await before.ask("GET", "/livez")).status).toBe(200);
  }, 60_000);

  test("are not counted for a trusted proxy", async () => {
    const config = { connectionsPerAddress: 5, socketsPerAddress: 5, trustedProxies: ["127.0.0.1"] };
    await using server = await startTestServer(config);
    using proxy = new Crowd(server.url, 40);
    using stranger = new Crowd(server.url, 40, "127.0.0.2");
    await eventually("all have connected", () => proxy.connected + stranger.connected === 80);
    await eventually("strangers are held to 5", async () => (await held(server, "127.0.0.2")) === 5);
    expect(proxy.open).toBe(40);
  });

  test("are counted only if they lead to this server", async () => {
    const config = { connectionsPerAddress: 5, socketsPerAddress: 5 };
    await using first = await startTestServer(config);
    await using second = await startTestServer(config);
    using ofSecond = new Crowd(second.url, 5);
    using ofFirst = new Crowd(first.url, 25);
    await eventually("all have connected", () => ofFirst.connected + ofSecond.connected === 30);
    await eventually("the first is held to 5", () => ofFirst.open === 5);
    expect(ofSecond.open).toBe(5);
  });

  test("may be as many as its WebSockets, and unlimited in load tests", async () => {
    await using wide = await startTestServer({ connectionsPerAddress: 5, socketsPerAddress: 30 });
    await using unlimited = await startTestServer({
      connectionsPerAddress: 5,
      socketsPerAddress: 5,
      rateLimits: "off",
    });
    using many = new Crowd(unlimited.url, 60);
    using some = new Crowd(wide.url, 60);
    await eventually("all have connected", () => many.connected + some.connected === 120);
    await eventually("30 are left", () => some.open === 30);
    expect(many.open).toBe(60);
  });
});

describe("a slow request", () => {
  const HEAD = "POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";

  /** Returns the milliseconds until the server closes the connection; `drip` is sent every 300 ms until then. */
  async function lifetime(url: string, first: string, drip: string, patienceMs: number): Promise<number> {
    using http = await RawHttp.open(url);
    const began = performance.now();
    http.tcp.write(first);
    const timer = setInterval(() => http.tcp.write(drip), 300);
    try {
      await eventually("the server closes it", () => http.isClosed, patienceMs);
      return performance.now() - began;
    } finally {
      clearInterval(timer);
    }
  }

  test.concurrent.each([
    ["sends nothing", "", ""],
    ["stops within the head", HEAD, ""],
    ["trickles the head", `${HEAD}X-Slow: `, "a"],
    ["trickles headers", HEAD, "X-Slow: a\r\n"],
  ])(
    "on a connection that %s is closed after 10 s",
    async (_, first, drip) => {
      await using server = await startTestServer();
      const allowed = (HEAD_SECONDS + TICK_SECONDS) * 1_000;
      expect(await lifetime(server.url, first, drip, allowed * 3)).toBeWithin(4_000, allowed * 2);
    },
    60_000,
  );

  test.concurrent.each([
    ["with a length", `${HEAD}Content-Length: 60000\r\n\r\n`, "a"],
    ["in chunks", `${HEAD}Transfer-Encoding: chunked\r\n\r\n`, "1\r\na\r\n"],
    ["that nobody reads", "POST /api/nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n", "a"],
  ])(
    "with a trickled body %s is closed after 60 s",
    async (_, first, drip) => {
      await using server = await startTestServer();
      const allowed = (IDLE_SECONDS + TICK_SECONDS) * 1_000;
      expect(await lifetime(server.url, first, drip, allowed * 2)).toBeWithin(50_000, allowed * 1.5);
      expect((await server.guest.get("/livez")).status).toBe(200);
    },
    200_000,
  );

  test("does not limit how long a kept connection may be idle", async () => {
    await using server = await startTestServer();
    using http = await RawHttp.open(server.url);
    expect((await http.ask("GET", "/livez")).status).toBe(200);
    using silent = new Crowd(server.url, 1);
    await eventually("the silent one is open", () => silent.connected === 1);
    await eventually("the silent one is closed", () => silent.open === 0, 60_000);
    expect((await http.ask("GET", "/livez")).status).toBe(200);
  }, 90_000);
});
