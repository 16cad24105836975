import { expect, test } from "bun:test";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { eventually } from "../servers/test-server.ts";
import { CutProxy } from "./cut-proxy.ts";

/** An echo behind a proxy, with a client that remembers what came back. */
async function start() {
  const open = new AsyncDisposableStack();
  const sockets = new Set<Socket>();
  const echo = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.pipe(socket);
  });
  echo.listen(0, "127.0.0.1");
  await once(echo, "listening");
  open.defer(() => {
    for (const socket of sockets) socket.destroy();
    echo.close();
  });
  const { port } = echo.address() as { port: number };
  const { proxy, url } = await CutProxy.to(`redis://:secret@127.0.0.1:${port}/`);
  open.use(proxy);
  const dial = async () => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    const heard = { text: "", closed: false };
    socket.on("data", (chunk) => {
      heard.text += String(chunk);
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      heard.closed = true;
    });
    open.defer(() => void socket.destroy());
    await once(socket, "connect");
    return { socket, heard };
  };
  return { proxy, url, dial, sockets, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

test("passes bytes both ways, counts connections, and keeps the rest of the URL", async () => {
  await using world = await start();
  const { socket, heard } = await world.dial();
  const large = "x".repeat(9_000_000);
  socket.write(large);
  await eventually("all came back", () => heard.text.length === large.length);
  expect(world.proxy.connections).toBe(1);
  expect(new URL(world.url).password).toBe("secret");
  socket.end();
  await eventually("closed", () => world.proxy.connections === 0);
});

test("cuts what is open, refuses what is new, and is mended", async () => {
  await using world = await start();
  const first = await world.dial();
  world.proxy.cut();
  await eventually("cut", () => first.heard.closed);
  const refused = await world.dial();
  await eventually("refused", () => refused.heard.closed);
  world.proxy.mend();
  const { socket, heard } = await world.dial();
  socket.write("back");
  await eventually("it works again", () => heard.text === "back");
});

test("hangs in one direction or both, and passes everything on when mended", async () => {
  await using world = await start();
  const { socket, heard } = await world.dial();
  for (const direction of ["up", "down", undefined] as const) {
    heard.text = "";
    world.proxy.hang(direction);
    socket.write("one");
    const late = await world.dial();
    late.socket.write("late");
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([heard, late.heard]).toEqual([
      { text: "", closed: false },
      { text: "", closed: false },
    ]);
    socket.write("two");
    world.proxy.mend();
    await eventually("all came", () => heard.text === "onetwo" && late.heard.text === "late");
  }
});

test("makes a client wait that sends too much into a hanging connection", async () => {
  await using world = await start();
  world.proxy.hang();
  const { socket, heard } = await world.dial();
  const chunk = "y".repeat(1_000_000);
  for (let count = 0; count < 32; count++) socket.write(chunk);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(socket.writableNeedDrain).toBe(true);
  world.proxy.mend();
  await eventually("all came", () => heard.text.length === 32 * chunk.length);
});

test("delays in each direction, keeping the order", async () => {
  await using world = await start();
  world.proxy.delay(40);
  const { socket, heard } = await world.dial();
  const before = performance.now();
  for (let n = 0; n < 10; n++) socket.write(`${n}`);
  await eventually("all came", () => heard.text.length === 10);
  expect(heard.text).toBe("0123456789");
  expect(performance.now() - before).toBeGreaterThanOrEqual(79);
  world.proxy.delay(30_000, "down");
  socket.write("late");
  world.proxy.mend();
  await eventually("what was delayed came", () => heard.text.endsWith("late"));
});
