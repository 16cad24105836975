/**
 * `node_modules/.bin/bun bench/deflate.ts`: what `permessage-deflate` would cost and save, on a bare server of the
 * runtime (decision 11). 500 sockets in a room get frames as long as Parley's compact ones. Prints for each setting the
 * CPU of the server for a delivery, the bytes of a frame, and the resident memory of a socket.
 */
import { constants, createDeflateRaw, deflateRawSync } from "node:zlib";
import { LOAD_CORE, pinned, SERVER_CORE } from "./pinning.ts";
import { cpuSeconds, residentBytes } from "./procfs.ts";
import { median } from "./statistics.ts";

const SOCKETS = 500;
const RUN_MS = 3_000;
const ROUNDS = 3;
const IN_FLIGHT = 4;
/** The names of the runtime: a compressor of all sockets that forgets, or one for each with that much memory. */
const SETTINGS = ["off", "shared", "3KB", "16KB"] as const;
type Setting = (typeof SETTINGS)[number];

const WORDS =
  "tide gulls harbour somebody write down what said ship wind sail north cargo late today build deploy agent report ok";

const [, , role, setting] = process.argv;
if (role === "serve") serve(setting as Setting);
else if (role === "load") await run();
else await Bun.spawn(pinned(LOAD_CORE, [process.execPath, import.meta.path, "load"]), { stdout: "inherit" }).exited;

function serve(setting: Setting): void {
  const perMessageDeflate = setting !== "off" && ({ compress: setting, decompress: "shared" } as const);
  const server = Bun.serve({
    port: 0,
    fetch: (request, server) => (server.upgrade(request) ? undefined : new Response("a WebSocket, please")),
    websocket: {
      perMessageDeflate,
      open: (socket) => void socket.subscribe("room"),
      message: (_socket, frame) => void server.publish("room", frame, setting !== "off"),
    },
  });
  console.log(server.port);
}

/** The compact frame of a text of 100 bytes. The words follow a generator of random numbers with a fixed seed. */
function frame(number: number): string {
  const words = WORDS.split(" ");
  let content = "";
  for (let state = number + 1; content.length < 100; content += `${words[(state >>> 16) % words.length]} `)
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
  const data = {
    id: 10_000 + number,
    channel_id: 12,
    content: content.slice(0, 100),
    user_id: 40 + (number % 20),
    sender_name: `bench_${number % 20}`,
    created_at: new Date(1_790_000_000_000 + number * 997).toISOString(),
  };
  return JSON.stringify({ event: "message:new", event_id: `m12.${9_000 + number}`, data });
}

async function run(): Promise<void> {
  await printBytes();
  const costs = new Map<Setting, { cpuUs: number[]; memory: number[] }>();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const setting of SETTINGS) {
      const { cpuUs, memory } = await deliver(setting);
      const all = costs.get(setting) ?? { cpuUs: [], memory: [] };
      costs.set(setting, all);
      all.cpuUs.push(cpuUs);
      all.memory.push(memory);
    }
  }
  for (const [setting, { cpuUs, memory }] of costs)
    console.log(
      `${setting}: ${median(cpuUs).toFixed(2)} µs of CPU a delivery, ${Math.round(median(memory))} bytes a socket`,
    );
  process.exit(0);
}

async function deliver(setting: Setting): Promise<{ cpuUs: number; memory: number }> {
  const server = Bun.spawn(pinned(SERVER_CORE, [process.execPath, import.meta.path, "serve", setting]), {
    stdout: "pipe",
  });
  const { value } = await server.stdout.getReader().read();
  const port = Number(new TextDecoder().decode(value));
  const before = residentBytes(server.pid);
  let received = 0;
  const sockets: WebSocket[] = [];
  for (let i = 0; i < SOCKETS; i += 1) {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/`);
    socket.onmessage = () => {
      received += 1;
    };
    await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }));
    sockets.push(socket);
  }
  const memory = (residentBytes(server.pid) - before) / SOCKETS;
  const [cpu, started] = [cpuSeconds(server.pid), performance.now()];
  for (let sent = 0; performance.now() - started < RUN_MS; ) {
    for (const upTo = sent + IN_FLIGHT; sent < upTo; sent += 1) sockets[sent % SOCKETS]?.send(frame(sent));
    while (received < sent * SOCKETS) await new Promise((resolve) => setImmediate(resolve));
  }
  const cpuUs = ((cpuSeconds(server.pid) - cpu) * 1e6) / received;
  server.kill();
  await server.exited;
  return { cpuUs, memory };
}

async function printBytes(): Promise<void> {
  const frames = Array.from({ length: 1_000 }, (_, number) => Buffer.from(frame(number)));
  const mean = (sizes: number[]) => Math.round(sizes.reduce((sum, size) => sum + size, 0) / sizes.length);
  // The last four bytes of a flush are not sent (RFC 7692, 7.2.1).
  const alone = frames.map(
    (bytes) => deflateRawSync(bytes, { level: 1, finishFlush: constants.Z_SYNC_FLUSH }).length - 4,
  );
  console.log(`a frame of ${mean(frames.map(({ length }) => length))} bytes; compressed by itself ${mean(alone)}`);
  for (const windowBits of [10, 12, 15]) {
    const stream = createDeflateRaw({ level: 1, windowBits });
    const sizes: number[] = [];
    let size = 0;
    stream.on("data", (piece: Buffer) => {
      size += piece.length;
    });
    for (const bytes of frames) {
      size = 0;
      stream.write(bytes);
      await new Promise<void>((resolve) => stream.flush(constants.Z_SYNC_FLUSH, () => resolve()));
      sizes.push(size - 4);
    }
    console.log(`compressed with the frames before it, ${(1 << windowBits) / 1024} KiB of them: ${mean(sizes)}`);
  }
}
