import { expect } from "bun:test";
import type { Scenario } from "../../support/cluster/scenario.ts";
import { temporaryFolder } from "../../support/config.ts";
import { AckedMessages } from "../../support/faults/acked-messages.ts";
import { injecting, problemOfTracing } from "../../support/faults/disk-trace.ts";
import { Random } from "../../support/faults/random.ts";
import { ChildServer, freePort } from "../../support/servers/child-server.ts";
import { TestSocket } from "../../support/servers/socket.ts";
import { Client, logIn, signUp } from "../../support/servers/test-server.ts";

const WRITERS = 4;
/** The first syncs belong to the start. */
const GOOD_SYNCS_MIN = 40;
const GOOD_SYNCS_MORE = 60;

/**
 * Guarantee P2: a server whose disk refuses to sync acknowledges and shows nothing from then on and ends by itself, and
 * the next one has what was acknowledged.
 */
export const failingSync: Scenario<{ seed: number; failures: number }> = {
  name: "failing-sync",
  title: "a disk that refuses to sync ends the server, and every acknowledged or pushed message is stored",
  short: { seed: 0, failures: 1 },
  long: { seed: 0, failures: 50 },
  problem: problemOfTracing,
  async run({ seed, failures }, say) {
    const random = new Random(seed);
    const [folder, port] = [temporaryFolder(), freePort()];
    const told = new AckedMessages();
    for (let failure = 0; failure < failures; failure += 1) {
      const before = told.count;
      await writeUntilItEnds(
        { folder, port, round: failure, after: GOOD_SYNCS_MIN + random.below(GOOD_SYNCS_MORE) },
        told,
      );
      expect(told.count).toBeGreaterThan(before);
      if (failure % 10 === 9) say(`${failure + 1} failures, ${told.count} messages`);
    }
    await using server = new ChildServer(folder, port);
    await server.start();
    return { seed, failures, ...(await told.judge(new Client(server.url))) };
  },
};

/** After this many syncs of a thread, all of them fail. */
const failing = (after: number): string[] => injecting("fsync,fdatasync", `error=EIO:when=${after}+`);

interface Failure {
  folder: string;
  port: number;
  round: number;
  after: number;
}

/** Lets writers write until the server ends. Notes the messages that were acknowledged or shown to a listener. */
async function writeUntilItEnds({ folder, port, round, after }: Failure, told: AckedMessages): Promise<void> {
  await using server = new ChildServer(folder, port, { PARLEY_RATE_LIMITS: "off" }, { around: failing(after) });
  await server.start();
  const ann = await (round === 0 ? signUp : logIn)(server.url, "ann");
  using socket = await TestSocket.open(server.url);
  await socket.command("channel:join", { channel_slug: "general" });
  const write = async (writer: number): Promise<void> => {
    for (let n = 0; ; n++) {
      const key = `${round}-${writer}-${n}`;
      const body = { channel_slug: "general", content: key, client_msg_id: key };
      const answer = await ann.post("/api/messages", body).catch(() => null);
      if (answer?.status !== 201) return expect(answer === null || answer.status >= 500).toBe(true);
      told.add(key, answer.body.seq);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  expect(await server.ended()).toBe(1);
  await socket.closed;
  for (const { event, data } of socket.frames)
    if (event === "message:new") told.add(data.chat_message.client_msg_id, data.chat_message.seq);
}
