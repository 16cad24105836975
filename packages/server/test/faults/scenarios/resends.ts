import type { Scenario } from "../../support/cluster/scenario.ts";
import { temporaryFolder } from "../../support/config.ts";
import { AckedMessages } from "../../support/faults/acked-messages.ts";
import { Random } from "../../support/faults/random.ts";
import { ChildServer, freePort } from "../../support/servers/child-server.ts";
import { TestSocket } from "../../support/servers/socket.ts";
import { Client, signUp } from "../../support/servers/test-server.ts";

/** Guarantees P1 and P3: however often and in whatever order a message is sent again, it is stored once. */
export const resends: Scenario<{ seed: number; messages: number; kills: number }> = {
  name: "resends",
  title: "requests that are repeated, reordered and cut off by kills store each message once",
  short: { seed: 0, messages: 150, kills: 3 },
  long: { seed: 0, messages: 20_000, kills: 200 },
  async run({ seed, messages, kills }, say) {
    const random = new Random(seed);
    // Thousands of messages come from one account at the end.
    await using server = new ChildServer(temporaryFolder(), freePort(), { PARLEY_RATE_LIMITS: "off" });
    await server.start();
    const ann = await signUp(server.url, "ann");
    const acked = new AckedMessages();
    const keys = Array.from({ length: messages }, (_, n) => `m${n}`);
    const pieces = kills + 1;
    for (let piece = 0; piece < pieces; piece += 1) {
      const own = keys.filter((_, at) => at % pieces === piece);
      // Each message one to five times, in any order, and some of an earlier piece again.
      const copies = own.flatMap((key) => Array.from({ length: 1 + random.below(5) }, () => key));
      const older = Array.from({ length: own.length >> 2 }, () => keys[random.below(keys.length)] ?? "m0");
      const sends = random.shuffled([...copies, ...older]);
      const sending = sendAll(server.url, ann, sends, acked);
      if (piece < kills) {
        await new Promise((resolve) => setTimeout(resolve, 10 + random.below(120)));
        await server.end("SIGKILL");
        await sending;
        await server.start();
        if (piece % 20 === 19) say(`${piece + 1} kills, ${acked.count} messages`);
      } else await sending;
    }
    // Messages without an answer are sent once more, as a client does.
    await sendAll(
      server.url,
      ann,
      keys.filter((key) => !acked.has(key)),
      acked,
    );
    return { seed, kills, ...(await acked.judge(new Client(server.url))) };
  },
};

const LANES = 8;

/** Sends over REST and a socket in turn, until all are sent or the server is gone. */
async function sendAll(url: string, client: Client, keys: readonly string[], acked: AckedMessages): Promise<void> {
  const waiting = [...keys];
  const socket = await TestSocket.open(url, client.credential).catch(() => null);
  const send = async (key: string, overSocket: boolean): Promise<void> => {
    const message = { channel_slug: "general", content: key, client_msg_id: key };
    if (overSocket && socket !== null) {
      const { event, data } = await socket.command("message:send", message);
      if (event !== "ack") throw new Error(`The socket answered ${JSON.stringify(data)}`);
      acked.add(key, data.seq);
      return;
    }
    const { status, body } = await client.post("/api/messages", message);
    if (status !== 200 && status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
    acked.add(key, body.seq);
  };
  const lane = async (): Promise<void> => {
    for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
      try {
        await send(key, waiting.length % 2 === 0);
      } catch (error) {
        if (await isGone(url)) return;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  socket?.terminate();
}

/** True if the server was killed, so that a request without an answer is no failure of the promise. */
const isGone = (url: string): Promise<boolean> =>
  fetch(`${url}/livez`).then(
    () => false,
    () => true,
  );
