import { expect } from "bun:test";
import { allMessages } from "../../support/all-messages.ts";
import { datedClock } from "../../support/clock.ts";
import type { Scenario } from "../../support/cluster/scenario.ts";
import { AckedMessages } from "../../support/faults/acked-messages.ts";
import { Random } from "../../support/faults/random.ts";
import { TestSocket } from "../../support/servers/socket.ts";
import { Client, startTestServer } from "../../support/servers/test-server.ts";

/** The time of day jumps by an hour at most, forward or back. */
const JUMP_MAX_MS = 3_600_000;
const SENDS_PER_JUMP = 5;

/**
 * Guarantee P20: a time of day that jumps changes no order, repeats nothing, and ends no session early. A process cannot
 * set its own clock, so the server runs in this process with a clock that jumps.
 */
export const clockJumps: Scenario<{ seed: number; jumps: number }> = {
  name: "clock-jumps",
  title: "a clock that jumps by up to an hour changes no order and repeats nothing",
  short: { seed: 0, jumps: 40 },
  long: { seed: 0, jumps: 5_000 },
  async run({ seed, jumps }, say) {
    const random = new Random(seed);
    const clock = datedClock();
    await using server = await startTestServer({ rateLimits: "off" }, { clock });
    const ann = await server.user("ann");
    using socket = await TestSocket.open(server.url);
    const { data } = await socket.command("channel:join", { channel_slug: "general" });
    const acked = new AckedMessages();
    const send = async (key: string) => {
      const answer = await ann.post("/api/messages", { channel_slug: "general", content: key, client_msg_id: key });
      expect([200, 201]).toContain(answer.status);
      acked.add(key, answer.body.seq);
    };
    let back = 0;
    for (let jump = 0; jump < jumps; jump += 1) {
      const by = random.below(2 * JUMP_MAX_MS) - JUMP_MAX_MS;
      if (by < 0) back += 1;
      // The sum stays within an hour, so that no session is used up.
      clock.ahead = Math.max(-JUMP_MAX_MS, Math.min(JUMP_MAX_MS, clock.ahead + by));
      for (let n = 0; n < SENDS_PER_JUMP; n += 1) await send(`${jump}-${n}`);
      // A client that has missed the answer sends again.
      await send(`${Math.max(0, jump - random.below(3))}-${random.below(SENDS_PER_JUMP)}`);
      expect((await ann.get("/api/auth/sessions")).status).toBe(200);
      if (jump % 500 === 499) say(`${jump + 1} jumps, ${acked.count} messages`);
    }
    const guest = new Client(server.url);
    const counts = await acked.judge(guest);
    const times = (await allMessages(guest)).map(({ created_at }: { created_at: string }) => Date.parse(created_at));
    expect(times).toEqual(times.toSorted((one: number, other: number) => one - other));
    await socket.next(({ event, data: { seq } }) => event === "message:new" && seq === data.last_seq + acked.count);
    const pushed = socket.frames.flatMap(({ event, data }) => (event === "message:new" ? [data.seq] : []));
    expect(pushed).toEqual(Array.from({ length: acked.count }, (_, n) => data.last_seq + 1 + n));
    return { seed, jumps, back, pushed: pushed.length, ...counts };
  },
};
