import { createServer, type Socket } from "node:net";

export interface FakeClamd extends AsyncDisposable {
  host: string;
  port: number;
  /** `<host>:<port>`. */
  address: string;
  /** Sizes of the streams that it has scanned. */
  readonly scanned: number[];
  /** How it answers from now on. `silent`: it takes everything and says nothing. `full`: it takes nothing. */
  mode: "honest" | "silent" | "full" | "hang up" | "error" | "babble" | "early OK";
}

/** A text that the fake finds, as a scanner finds EICAR. */
export const BAD_TEXT = "PARLEY-TEST-MALWARE";
const STREAM_MAX = 8 * 1024 * 1024;

/** Starts a server that speaks ClamAV's INSTREAM as clamd 1.4 does, with its limit of a stream's length. */
export async function startFakeClamd(port = 0): Promise<FakeClamd> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => {});
    if (fake.mode === "full") {
      socket.pause();
      return;
    }
    let pending: Buffer = Buffer.alloc(0);
    let body: Buffer[] | null = null;
    let size = 0;
    const say = (text: string) => void socket.end(`${text}\0`);
    socket.on("data", (part: Buffer) => {
      pending = Buffer.concat([pending, part]);
      if (body === null) {
        const end = pending.indexOf(0);
        if (end === -1) return;
        const command = pending.subarray(0, end).toString();
        pending = pending.subarray(end + 1);
        if (command === "zVERSION") return say("ClamAV 1.4.6/fake");
        if (command !== "zINSTREAM") return say("UNKNOWN COMMAND");
        body = [];
        if (fake.mode === "hang up") {
          socket.destroy();
          return;
        }
        if (fake.mode === "early OK") return say("stream: OK");
        if (fake.mode === "babble") {
          socket.write("x".repeat(100_000));
          return;
        }
      }
      while (pending.length >= 4) {
        const length = pending.readUInt32BE(0);
        if (length === 0) {
          fake.scanned.push(size);
          if (fake.mode === "silent") return;
          if (fake.mode === "error") return say("Can't allocate memory ERROR");
          return say(Buffer.concat(body).includes(BAD_TEXT) ? "stream: Parley.Test FOUND" : "stream: OK");
        }
        if (pending.length < 4 + length) return;
        size += length;
        if (size > STREAM_MAX) return say("INSTREAM size limit exceeded. ERROR");
        body.push(pending.subarray(4, 4 + length));
        pending = pending.subarray(4 + length);
      }
    });
  });
  const listening = Promise.withResolvers<void>();
  server.listen(port, "127.0.0.1", listening.resolve);
  await listening.promise;
  const address = server.address();
  const taken = typeof address === "object" && address !== null ? address.port : 0;
  const fake: FakeClamd = {
    host: "127.0.0.1",
    port: taken,
    address: `127.0.0.1:${taken}`,
    scanned: [],
    mode: "honest",
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
  return fake;
}
