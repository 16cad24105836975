import { expect, test } from "bun:test";
import { clockAhead } from "../../../test/support/clock.ts";
import { testContext } from "../../../test/support/context.ts";
import { eachDatabase } from "../../../test/support/databases.ts";
import { putMessages } from "../../../test/support/put-messages.ts";
import { eventually } from "../../../test/support/servers/test-server.ts";
import type { AppContext } from "../../context.ts";
import { usualTiming } from "../../timing.ts";
import { startCards } from "./expire.ts";

const HOUR = 60 * 60 * 1_000;
const DAY = 24 * HOUR;

/** Stores questions that were decided then, under the ids of these messages. */
async function putDecided({ db }: AppContext, messageIds: readonly number[], decided_at: number): Promise<void> {
  const row = {
    ...{ channel_id: 1, agent_id: 1, agent_name: "Shipper", kind: "choice" as const, who: "{}", quorum: 1 },
    ...{ status: "decided" as const, expires_at: decided_at, due_at: decided_at, cancel_reason: null },
    ...{ result_press_id: null, press_count: 0, decided_at, payload_hash: "", receipt: null, created_at: decided_at },
  };
  for (const message_id of messageIds)
    await db
      .insertInto("interactions")
      .values({ ...row, message_id })
      .execute();
}

const stored = async ({ db }: AppContext): Promise<number[]> =>
  (await db.selectFrom("interactions").select("message_id").orderBy("message_id").execute()).map((row) =>
    Number(row.message_id),
  );

eachDatabase((_, open) => {
  test("a question is forgotten 30 days after its end, if no message shows it any more", async () => {
    await using database = await open();
    const clock = clockAhead();
    const closers: (() => unknown)[] = [];
    const ctx = testContext(database, { clock, onClose: (close) => void closers.push(close) });
    const [shown = 0, emptied = 0] = await putMessages(ctx, [{ card: "{}" }, {}]);
    const now = clock.now();
    await putDecided(ctx, [shown, emptied, 1_001], now - 30 * DAY - HOUR);
    await putDecided(ctx, [1_002], now - 30 * DAY + HOUR / 2);
    startCards({ ...ctx, timing: { ...usualTiming, jobRate: 1_000 } });
    await eventually("the old ones are gone", async () => (await stored(ctx)).length === 2);
    expect(await stored(ctx)).toEqual([shown, 1_002]);

    // More than one statement deletes. They are looked for once an hour.
    await putDecided(
      ctx,
      Array.from({ length: 1_001 }, (_, n) => 2_000 + n),
      now - 31 * DAY,
    );
    clock.ahead += HOUR;
    await eventually("all the old ones are gone", async () => (await stored(ctx)).length === 1);
    expect(await stored(ctx)).toEqual([shown]);
    for (const close of closers.reverse()) await close();
  });
});
