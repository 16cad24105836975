import { expect, test } from "bun:test";
import { freePort } from "../../packages/server/test/support/servers/child-server.ts";
import { eventually } from "../../packages/server/test/support/servers/test-server.ts";
import { Balancer } from "./balancer.ts";

/** A node that tells its name, echoes on sockets, and can refuse traffic. */
function startNode(name: string, port = freePort()) {
  const state = { isReady: true };
  const server = Bun.serve({
    port,
    hostname: "127.0.0.1",
    fetch(request, serving) {
      if (new URL(request.url).pathname === "/readyz") return new Response("", { status: state.isReady ? 200 : 503 });
      return serving.upgrade(request, { data: undefined }) ? undefined : new Response(name);
    },
    websocket: { message: (socket, text) => void socket.send(`${name}: ${text}`) },
  });
  return { name, port, state, [Symbol.asyncDispose]: () => server.stop(true) };
}

async function open(
  url: string,
): Promise<{ socket: WebSocket; ask(text: string): Promise<string>; closed: Promise<void> }> {
  const socket = new WebSocket(url.replace("http", "ws"));
  const closed = new Promise<void>((resolve) => socket.addEventListener("close", () => resolve()));
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", reject);
  });
  const ask = (text: string) =>
    new Promise<string>((resolve) => {
      socket.addEventListener("message", ({ data }) => resolve(String(data)), { once: true });
      socket.send(text);
    });
  return { socket, ask, closed };
}

/** Asks over a connection of its own. */
const nameAt = async (url: string): Promise<string> => (await fetch(url, { headers: { connection: "close" } })).text();

test("new connections go to the ready node with the fewest, and sockets stay where they are", async () => {
  await using one = startNode("one");
  await using two = startNode("two");
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  const ready = new Set<number>();
  await using balancer = await Balancer.start(port, [one.port, two.port], (node, isReady) => {
    if (isReady) ready.add(node);
    else ready.delete(node);
  });
  await eventually("both are ready", () => ready.size === 2);
  const sockets = [await open(url), await open(url), await open(url), await open(url)];
  expect(balancer.open).toEqual([2, 2]);
  const said = await Promise.all(sockets.map(({ ask }) => ask("hello")));
  expect(said.toSorted()).toEqual(["one: hello", "one: hello", "two: hello", "two: hello"]);

  one.state.isReady = false;
  await eventually("the first one is out", () => !ready.has(one.port));
  for (let n = 0; n < 4; n++) expect(await nameAt(url)).toBe("two");
  expect((await sockets[0]?.ask("again"))?.endsWith("again")).toBe(true);

  one.state.isReady = true;
  await eventually("it is back", () => ready.has(one.port));
  for (const { socket, closed } of sockets) {
    socket.close();
    await closed;
  }
  await eventually("nothing is left open", () => balancer.open.every((open) => open === 0));
});

test("a node that has just ended costs no request, and without any the connection is closed", async () => {
  const one = startNode("one");
  await using two = startNode("two");
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  const ready = new Set<number>();
  await using _balancer = await Balancer.start(port, [one.port, two.port], (node, isReady) => {
    if (isReady) ready.add(node);
    else ready.delete(node);
  });
  await eventually("both are ready", () => ready.size === 2);
  await one[Symbol.asyncDispose]();
  for (let n = 0; n < 6; n++) expect(await nameAt(url)).toBe("two");
  await two[Symbol.asyncDispose]();
  await expect(fetch(url)).rejects.toThrow();
});
