import { expect } from "bun:test";
import { join } from "node:path";
import { cliProcess } from "../../support/cli.ts";
import type { Scenario } from "../../support/cluster/scenario.ts";
import { temporaryFolder } from "../../support/config.ts";
import { AckedMessages } from "../../support/faults/acked-messages.ts";
import { ChildServer, freePort } from "../../support/servers/child-server.ts";
import { Client, signUp } from "../../support/servers/test-server.ts";

const WRITERS = 4;

/** Guarantee P21: a backup taken under load contains all that was acknowledged before it, without gaps, and sound sums. */
export const backups: Scenario<{ backups: number; messages: number }> = {
  name: "backups",
  title: "each backup taken under load restores to everything acknowledged before it",
  short: { backups: 1, messages: 100 },
  long: { backups: 50, messages: 1_000 },
  async run({ backups, messages }, say) {
    const [home, data] = [temporaryFolder(), temporaryFolder()];
    await using server = new ChildServer(data, freePort());
    await server.start();
    const writers = await Promise.all(Array.from({ length: WRITERS }, (_, n) => signUp(server.url, `writer${n}`)));
    const acked: [key: string, seq: number][] = [];
    let isOver = false;
    const writing = writers.map(async (client, writer) => {
      for (let n = 0; !isOver; n += 1) {
        const key = `${writer}-${n}`;
        const { status, body } = await client.post("/api/messages", {
          channel_slug: "general",
          content: key,
          client_msg_id: key,
        });
        expect(status).toBe(201);
        acked.push([key, body.seq]);
      }
    });
    let stored = 0;
    for (let n = 0; n < backups; n += 1) {
      const wanted = (n + 1) * messages;
      while (acked.length < wanted) await new Promise((resolve) => setTimeout(resolve, 10));
      const before = new AckedMessages();
      for (const [key, seq] of acked) before.add(key, seq);
      const file = join(home, `${n}.sqlite`);
      expect(await cliProcess(["backup", file], { PARLEY_DATA_DIR: data })).toMatchObject({ code: 0 });
      expect(await cliProcess(["backup", "verify", file], {})).toMatchObject({ code: 0 });
      const counts = await judgeRestored(file, before);
      stored = counts.stored ?? 0;
      say(`backup ${n + 1}: ${counts.acked} acknowledged before it, ${stored} in it`);
    }
    isOver = true;
    await Promise.all(writing);
    return { backups, acked: acked.length, stored, lost: 0, duplicates: 0, gaps: 0 };
  },
};

/** Restores a backup into a new folder and compares what a server there answers. */
async function judgeRestored(file: string, before: AckedMessages): Promise<Record<string, number>> {
  const folder = temporaryFolder();
  expect(await cliProcess(["restore", file], { PARLEY_DATA_DIR: folder })).toMatchObject({ code: 0 });
  await using restored = new ChildServer(folder, freePort());
  await restored.start();
  return await before.judge(new Client(restored.url));
}
