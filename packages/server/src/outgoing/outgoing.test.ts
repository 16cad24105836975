import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createServer, type Server, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { OTHER_CERTIFICATE, SELF_SIGNED } from "../../test/support/self-signed.ts";
import { eventually } from "../../test/support/servers/test-server.ts";
import { systemClock } from "../clock.ts";
import { Outgoing, type Resolve } from "./outgoing.ts";

const { name: NAME, key, certificate } = SELF_SIGNED;
const KIB = 1_024;

/** Requests to addresses that users name (protocol §13.12), to a service of this test that does what a hostile one would. */
let service: ReturnType<typeof Bun.serve>;
let heard: { path: string; host: string | null; headers: Headers; body: string }[] = [];
let cancelled = 0;
const held: (() => void)[] = [];

beforeAll(() => {
  service = Bun.serve({
    port: 0,
    tls: { key, cert: certificate },
    async fetch(request) {
      const { pathname } = new URL(request.url);
      heard.push({
        path: pathname,
        host: request.headers.get("host"),
        headers: request.headers,
        body: await request.text(),
      });
      switch (pathname) {
        case "/redirect":
          return new Response(null, { status: 302, headers: { location: `https://127.0.0.1:${service.port}/inward` } });
        case "/bomb":
          return new Response(gzipSync(Buffer.alloc(10 * KIB * KIB)), { headers: { "content-encoding": "gzip" } });
        case "/zipped":
          return new Response(gzipSync("hello"), { headers: { "content-encoding": "gzip" } });
        case "/large":
          return new Response(endless(64 * KIB, 0));
        case "/slow":
          return new Response(endless(1, 50));
        case "/held":
          await new Promise<void>((resolve) => held.push(resolve));
          return new Response("at last");
        case "/cookie":
          return new Response("hello", { headers: { "set-cookie": "a=b" } });
        default:
          return new Response("hello", { status: 201 });
      }
    },
  });
});
afterAll(() => service.stop(true));

function endless(bytes: number, everyMs: number): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      if (everyMs > 0) await new Promise((resolve) => setTimeout(resolve, everyMs));
      controller.enqueue(new Uint8Array(bytes));
    },
    cancel() {
      cancelled += 1;
    },
  });
}

const resolveTo =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses;

function outgoing(options: Partial<ConstructorParameters<typeof Outgoing>[0]> = {}): Outgoing {
  heard = [];
  const resolve = resolveTo("127.0.0.1");
  return new Outgoing({ allow: ["127.0.0.0/8"], clock: systemClock, ca: certificate, resolve, ...options });
}

const at = (path: string, name = NAME) => `https://${name}:${service.port}${path}`;
const POST = { method: "POST", headers: { ttl: "60" }, body: Buffer.from("hello") } as const;
const FOR = { kind: "push", owner: "u1" } as const;
const GET = { method: "GET" } as const;

describe("a request", () => {
  test("arrives with the host's name, its headers and body, and returns the answer", async () => {
    const result = await outgoing().send(at("/send?a=b"), POST, FOR);
    expect(result).toMatchObject({ outcome: "answered", status: 201 });
    expect(result.outcome === "answered" && Buffer.from(result.body).toString()).toBe("hello");
    expect(heard).toMatchObject([{ path: "/send", host: `${NAME}:${service.port}`, body: "hello" }]);
    expect(heard[0]?.headers.get("ttl")).toBe("60");
  });

  test("resolves the name once: a later answer of the name server decides nothing", async () => {
    let asked = 0;
    const changing: Resolve = async () => (++asked === 1 ? ["127.0.0.1"] : ["10.0.0.1"]);
    expect(await outgoing({ resolve: changing }).send(at("/send"), POST, FOR)).toMatchObject({ outcome: "answered" });
    expect(asked).toBe(1);
  });

  test("is not sent if an address of the host is blocked, whichever comes first", async () => {
    for (const addresses of [["127.0.0.1", "10.0.0.1"], ["10.0.0.1", "127.0.0.1"], ["::ffff:169.254.169.254"]]) {
      const result = await outgoing({ resolve: resolveTo(...addresses) }).send(at("/send"), POST, FOR);
      expect(result).toEqual({ outcome: "blocked_address" });
    }
    expect(await outgoing({ allow: [] }).send(at("/send"), POST, FOR)).toEqual({ outcome: "blocked_address" });
    expect(await outgoing().send(`http://10.0.0.1:${service.port}/`, POST, FOR)).toEqual({
      outcome: "blocked_address",
    });
    expect(heard).toEqual([]);
  });

  test("follows no redirect", async () => {
    expect(await outgoing().send(at("/redirect"), POST, FOR)).toMatchObject({ outcome: "answered", status: 302 });
    expect(heard.map(({ path }) => path)).toEqual(["/redirect"]);
  });

  test("sends back no cookie", async () => {
    const sender = outgoing();
    await sender.send(at("/cookie"), GET, FOR);
    await sender.send(at("/cookie"), GET, FOR);
    expect(heard.map(({ headers }) => headers.get("cookie"))).toEqual([null, null]);
  });

  test("uses no proxy of the environment", async () => {
    const names = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"];
    for (const name of names) process.env[name] = "http://127.0.0.1:9";
    try {
      expect(await outgoing().send(at("/send"), POST, FOR)).toMatchObject({ outcome: "answered" });
    } finally {
      for (const name of names) delete process.env[name];
    }
  });

  test("checks the certificate against the name", async () => {
    expect(await outgoing().send(at("/send", "other.example"), POST, FOR)).toEqual({ outcome: "tls_failed" });
    expect(await outgoing({ ca: OTHER_CERTIFICATE }).send(at("/send"), POST, FOR)).toEqual({ outcome: "tls_failed" });
    expect(heard).toEqual([]);
  });
});

describe("an answer", () => {
  test("of more than 64 KiB is cut off, and its sender is not read any further", async () => {
    cancelled = 0;
    expect(await outgoing().send(at("/large"), GET, FOR)).toEqual({ outcome: "answer_too_large" });
    await eventually("the connection ends", () => cancelled === 1);
  });

  test("that is a gzip bomb is not inflated", async () => {
    expect(await outgoing().send(at("/bomb"), GET, FOR)).toEqual({ outcome: "answer_too_large" });
    const small = await outgoing().send(at("/zipped"), GET, FOR);
    expect(small.outcome === "answered" && Buffer.from(small.body).toString()).toBe("hello");
  });

  test("that takes too long is given up", async () => {
    // The answer never ends.
    expect(await outgoing({ limits: { totalMs: 400 } }).send(at("/slow"), GET, FOR)).toEqual({ outcome: "timed_out" });
  });
});

describe("a connection", () => {
  let silent: Server;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    silent = createServer((socket) => void sockets.push(socket));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  test("to a server that does not answer the handshake is given up", async () => {
    const { port } = silent.address() as { port: number };
    const result = await outgoing({ limits: { connectMs: 300 } }).send(`https://${NAME}:${port}/`, POST, FOR);
    expect(result).toEqual({ outcome: "timed_out" });
  });

  test("that is refused is unreachable, and so is a host without an address", async () => {
    expect(await outgoing().send(`https://${NAME}:1024/`, POST, FOR)).toEqual({ outcome: "unreachable" });
    const none: Resolve = () => Promise.reject(new Error("ENOTFOUND"));
    expect(await outgoing({ resolve: none }).send(at("/send"), POST, FOR)).toEqual({ outcome: "unreachable" });
  });

  test("waits no longer for a name server than for a connection", async () => {
    const never: Resolve = () => new Promise(() => {});
    const sender = outgoing({ resolve: never, limits: { connectMs: 200 } });
    expect(await sender.send(at("/send"), POST, FOR)).toEqual({ outcome: "unreachable" });
  });
});

test("two requests at a time go to a host, and a third waits", async () => {
  const sender = outgoing();
  const slow = [1, 2, 3].map(() => sender.send(at("/held"), GET, FOR));
  await eventually("two have arrived", () => held.length === 2);
  expect(await outgoing().send(at("/send"), GET, FOR)).toMatchObject({ outcome: "answered" });
  expect(held).toHaveLength(2);
  for (const release of held.splice(0)) release();
  await eventually("the third has arrived", () => held.length === 1);
  for (const release of held.splice(0)) release();
  expect(await Promise.all(slow)).toMatchObject(Array(3).fill({ outcome: "answered", status: 200 }));
});

test("services that were slow three times share four places, and others pass them", async () => {
  let now = 0;
  await using plain = Bun.serve({
    port: 0,
    async fetch() {
      await new Promise<void>((resolve) => held.push(resolve));
      return new Response("at last");
    },
  });
  const sender = outgoing({ clock: { monotonic: () => now }, resolve: async (host) => [`127.0.0.${host.length}`] });
  const owners = ["a", "bb", "ccc", "dddd", "eeeee", "ffffff"];
  const send = (owner: string) => sender.send(`http://${owner}.example:${plain.port}/`, GET, { kind: "push", owner });
  for (let round = 0; round < 3; round += 1) {
    const slow = owners.map(send);
    await eventually("all have arrived", () => held.length === owners.length);
    now += 6_000;
    for (const release of held.splice(0)) release();
    await Promise.all(slow);
  }
  expect(owners.every((owner) => sender.isFailing(`${owner}.example`, { kind: "push", owner }))).toBeTrue();
  const failing = owners.map(send);
  await eventually("four have arrived", () => held.length === 4);
  const other = send("ggggggg");
  await eventually("the other one has arrived", () => held.length === 5);
  while (held.length > 0) {
    for (const release of held.splice(0)) release();
    await Promise.race([Promise.all(failing), eventually("more arrive", () => held.length > 0)]);
  }
  expect(await Promise.all([...failing, other])).toHaveLength(7);
  expect(sender.isFailing("a.example", { kind: "push", owner: "a" })).toBeFalse();
});

test("look-ups of names that take long leave places to the look-ups of others", async () => {
  const asked: string[] = [];
  const resolve: Resolve = async (host) => {
    asked.push(host);
    return host.startsWith("slow") ? new Promise(() => {}) : ["127.0.0.1"];
  };
  const sender = outgoing({ resolve });
  const slow = (owner: number) =>
    Array.from({ length: 10 }, (_, n) =>
      sender.check(`https://slow${owner}-${n}.example/`, { kind: "push", owner: `u${owner}` }).catch(() => "refused"),
    );
  const all = [1, 2, 3, 4, 5, 6].flatMap(slow);
  expect(await sender.send(at("/send"), POST, { kind: "webhook", owner: "u7" })).toMatchObject({ outcome: "answered" });
  expect(asked.length).toBeLessThan(20);
  expect(await Promise.all(all)).toEqual(Array(60).fill("refused"));
});

describe("a URL that a user names", () => {
  const refusal = (raw: string, options = {}) =>
    outgoing(options)
      .check(raw, FOR)
      .then(
        () => "passes",
        ({ code }: { code: string }) => code,
      );

  test("passes if the server may call it now", async () => {
    expect(await refusal(at("/send"))).toBe("passes");
    expect(await refusal("https://push.example/", { resolve: resolveTo("8.8.8.8"), allow: [] })).toBe("passes");
    for (const raw of ["http://push.example/", "https://127.0.0.1/", "nonsense", "https://a:b@push.example/"]) {
      expect(await refusal(raw, { allow: [] })).toBe("invalid_url");
    }
    expect(await refusal(at("/send"), { resolve: resolveTo("192.168.0.1") })).toBe("invalid_url");
    expect(await refusal(at("/send"), { resolve: () => Promise.reject(new Error("ENOTFOUND")) })).toBe("invalid_url");
  });
});
