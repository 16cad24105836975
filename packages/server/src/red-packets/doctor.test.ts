import { expect, test } from "bun:test";
import { user } from "../../test/support/actors.ts";
import { testContext } from "../../test/support/context.ts";
import { eachDatabase } from "../../test/support/databases.ts";
import { transact } from "../db/transact.ts";
import { grantInitialPoints } from "../points/initial-grant.ts";
import { claimPacket } from "./claim/claims.service.ts";
import { createPacket } from "./create/create.service.ts";
import { auditPackets } from "./doctor.ts";
import { cancelPacket } from "./packets.service.ts";

eachDatabase((_, open) => {
  test("packets and the ledger agree until somebody changes one of them", async () => {
    await using database = await open();
    const ctx = testContext(database, { config: { initialPoints: 100 } });
    const [ann, bob] = [await user(ctx, "ann"), await user(ctx, "bob")];
    await transact(ctx, (ctx) => grantInitialPoints(ctx, ann.userId));
    expect(await auditPackets(ctx.db)).toEqual({ packets: 0, problems: [] });
    const equal = { channel_id: 1, total_amount: "10", count: 2, split_type: "equal" as const };
    const ids: number[] = [];
    for (let n = 0; n < 3; n += 1) ids.push((await createPacket(ctx, ann, equal, null)).packet_id);
    const [claimed = 0, cancelled = 0, last = 0] = ids;
    await claimPacket(ctx, bob, claimed);
    await cancelPacket(ctx, ann, cancelled);
    expect(await auditPackets(ctx.db)).toEqual({ packets: 3, problems: [] });

    const { db } = ctx;
    await db.updateTable("packets").set({ remaining_amount: "9" }).where("id", "=", claimed).execute();
    await db.updateTable("packets").set({ refund_amount: null }).where("id", "=", cancelled).execute();
    await db.updateTable("packets").set({ remaining_count: 1 }).where("id", "=", last).execute();
    expect((await auditPackets(db)).problems).toEqual([
      `packet ${claimed} was funded with 10, but 5 are claimed, 0 returned and 9 left`,
      `packet ${claimed} has 9 left, but the ledger holds 5`,
      `packet ${cancelled} was funded with 10, but 0 are claimed, 0 returned and 0 left`,
      `packet ${last} says that 1 of its shares are claimed, but has 0 claims`,
    ]);
  });
});
