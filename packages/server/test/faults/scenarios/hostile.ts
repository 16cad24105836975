import { expect } from "bun:test";
import { percentile, type Scenario } from "../../support/cluster/scenario.ts";
import { temporaryFolder } from "../../support/config.ts";
import { Random } from "../../support/faults/random.ts";
import { ChildServer, freePort } from "../../support/servers/child-server.ts";
import { TestSocket } from "../../support/servers/socket.ts";
import { signUp } from "../../support/servers/test-server.ts";

const PATHS = [
  "/api/messages",
  "/api/auth/login",
  "/api/channels",
  "/api/files",
  "/api/agenthub/send",
  "/mcp",
  "/api/polls",
];
const TYPES = ["application/json", "multipart/form-data; boundary=x", "text/plain", "application/octet-stream"];
const EVENTS = ["message:send", "channel:join", "auth:login", "typing:start", "stream:append", "nothing"];

/** Guarantee P19: bytes that mean nothing are refused, cost little, and disturb nobody else. */
export const hostile: Scenario<{ seed: number; requests: number; frames: number }> = {
  name: "hostile",
  title: "random bodies and frames are refused, and a client beside them notices nothing",
  short: { seed: 0, requests: 150, frames: 150 },
  long: { seed: 0, requests: 50_000, frames: 50_000 },
  async run({ seed, requests, frames }, say) {
    const random = new Random(seed);
    await using server = new ChildServer(temporaryFolder(), freePort(), {
      PARLEY_LOG_LEVEL: "error",
      // What is not a valid request must be refused as such.
      PARLEY_RATE_LIMITS: "off",
    });
    await server.start();
    const ann = await signUp(server.url, "ann");
    const waits: number[] = [];
    const talk = async () => {
      const started = performance.now();
      const { status } = await ann.post("/api/messages", { channel_slug: "general", content: "undisturbed" });
      expect(status).toBe(201);
      waits.push(performance.now() - started);
    };
    const statuses = new Map<number, number>();
    for (let n = 0; n < requests; n += 1) {
      const asked = fetch(server.url + (PATHS[random.below(PATHS.length)] ?? "/"), {
        method: random.below(4) === 0 ? "PUT" : "POST",
        headers: { ...ann.credential, "content-type": TYPES[random.below(TYPES.length)] ?? "" },
        body: random.below(2) === 0 ? random.bytes(random.below(4_000)) : twisted(random),
      });
      const [answer] = await Promise.all([asked, n % 10 === 9 ? talk() : undefined]);
      await answer.arrayBuffer();
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      if (n % 5_000 === 4_999) say(`${n + 1} requests`);
    }
    const closes = await sendFrames({ url: server.url, headers: ann.credential, random, frames, talk, say });
    const failures = [...statuses].filter(([status]) => status >= 500 && status !== 503);
    expect(failures).toEqual([]);
    expect((await ann.get("/readyz")).status).toBe(200);
    return { seed, requests, frames, closes, sendMsP50: percentile(waits, 50), sendMsP99: percentile(waits, 99) };
  },
};

/** Returns JSON that is almost right. */
function twisted(random: Random): string {
  const values = [
    "null",
    "-1",
    "1e999",
    '"\\ud800"',
    "[]",
    "{}",
    "true",
    '"general"',
    "9".repeat(random.below(400)),
    "[".repeat(random.below(200)),
  ];
  const fields = [
    "channel_slug",
    "content",
    "client_msg_id",
    "username",
    "password",
    "reply_to_id",
    "__proto__",
    "file_ids",
  ];
  const some = Array.from({ length: random.below(6) }, () => {
    return `${JSON.stringify(fields[random.below(fields.length)])}:${values[random.below(values.length)]}`;
  });
  const text = `{${some.join(",")}}`;
  return random.below(4) === 0 ? text.slice(0, random.below(text.length + 1)) : text;
}

interface FrameStorm {
  url: string;
  headers: Record<string, string>;
  random: Random;
  frames: number;
  /** Sends a message beside the frames, which must succeed. */
  talk(): Promise<void>;
  say(text: string): void;
}

/** Sends frames over sockets that are opened again when the server closes them. Returns how often it did. */
async function sendFrames({ url, headers, random, frames, talk, say }: FrameStorm): Promise<number> {
  let closes = 0;
  let socket = await TestSocket.open(url, headers);
  let isClosed = watch(socket);
  for (let n = 0; n < frames; n += 1) {
    if (isClosed()) {
      closes += 1;
      socket = await TestSocket.open(url, headers);
      isClosed = watch(socket);
    }
    const event = EVENTS[random.below(EVENTS.length)];
    const kind = random.below(3);
    if (kind === 0) socket.sendRaw(random.bytes(random.below(500)));
    else if (kind === 1) socket.sendRaw(twisted(random));
    else socket.sendRaw(`{"event":"${event}","data":${twisted(random)},"ref":"x"}`);
    if (n % 20 === 19) await talk();
    if (n % 5_000 === 4_999) say(`${n + 1} frames, ${closes} closed sockets`);
  }
  socket.terminate();
  return closes;
}

function watch(socket: TestSocket): () => boolean {
  let closed = false;
  void socket.closed.then(() => {
    closed = true;
  });
  return () => closed;
}
