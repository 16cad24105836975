import { expect, test } from "bun:test";
import { eachDialect } from "../../../test/support/databases.ts";
import { isUniqueViolation, type OpenDatabase } from "../../db/database.ts";
import { forgetPayer } from "../erase.ts";
import {
  dueSettlements,
  findSettlement,
  forgetSettlements,
  moveSettlement,
  releaseSettlement,
  reserveSettlement,
} from "./settlements.store.ts";

const NAME = { chain_id: 1, token_address: "0xToken", authorizer: "0xAnn", nonce: "0x01" };
const RESERVATION = {
  ...NAME,
  ...{ resource: "/api/paid/a", principal: "u1", payment_id: "0xd1", currency: "USDC", recipient: "0xPlatform" },
  ...{ amount: "5", valid_before: 9_000, state: "reserved" as const, lease_until: 100, created_at: 10, due_at: 50 },
} as const;

eachDialect((_, open) => {
  const world = async (): Promise<OpenDatabase> => open();

  test("an authorization is reserved once, and another token, payer or nonce makes another authorization", async () => {
    await using database = await world();
    const { db } = database;
    const row = await reserveSettlement(db, RESERVATION);
    expect(row).toMatchObject({ ...RESERVATION, reason: null, from_height: null, tx_hash: null });
    expect(await reserveSettlement(db, { ...RESERVATION, payment_id: "0xd2", principal: "u2" })).toBeNull();
    expect(await findSettlement(db, NAME)).toEqual(row ?? undefined);
    for (const [n, change] of [{ nonce: "0x02" }, { authorizer: "0xBob" }, { token_address: "0xOther" }].entries()) {
      expect(await reserveSettlement(db, { ...RESERVATION, ...change, payment_id: `0xe${n}` })).not.toBeNull();
    }
  });

  test("one of a hundred concurrent reservations succeeds", async () => {
    await using database = await world();
    const { db } = database;
    const tries = Array.from({ length: 100 }, () => reserveSettlement(db, RESERVATION).catch(() => null));
    expect((await Promise.all(tries)).filter((row) => row !== null)).toHaveLength(1);
  });

  test("a challenge has one authorization in progress, and after a refusal another or the same one", async () => {
    await using database = await world();
    const { db } = database;
    const first = await reserveSettlement(db, RESERVATION);
    if (first === null) throw new Error("not reserved");
    const second = { ...RESERVATION, nonce: "0x02" };
    const refused = await reserveSettlement(db, second).catch((error) => error);
    expect(isUniqueViolation(refused)).toBeTrue();
    expect(await moveSettlement(db, first, { state: "refused", reason: "payment_required", due_at: null })).toBeTrue();
    expect(await reserveSettlement(db, second)).toMatchObject({ state: "reserved", nonce: "0x02" });
    const again = { ...RESERVATION, payment_id: "0xd3", principal: "u2", lease_until: 300 };
    expect(await reserveSettlement(db, again)).toMatchObject({ id: first.id, ...again, reason: null });
  });

  test("a settlement moves only from the state that was read, and only for the holder of its lease", async () => {
    await using database = await world();
    const { db } = database;
    const row = await reserveSettlement(db, RESERVATION);
    if (row === null) throw new Error("not reserved");
    const change = { state: "settling", from_height: 7, lease_until: 200 } as const;
    const moves = await Promise.all([
      moveSettlement(db, row, change),
      moveSettlement(db, row, { ...change, lease_until: 201 }),
    ]);
    expect(moves.filter(Boolean)).toHaveLength(1);
    expect(await moveSettlement(db, row, { state: "refused" })).toBeFalse();
    // A settlement that was sent to the facilitator can no longer be released.
    await releaseSettlement(db, { id: row.id, lease_until: row.lease_until });
    const now = await findSettlement(db, NAME);
    expect(now).toMatchObject({ state: "settling", from_height: 7 });
    await releaseSettlement(db, now ?? row);
    expect((await findSettlement(db, NAME))?.state).toBe("settling");
  });

  test("the table refuses states without their required columns", async () => {
    await using database = await world();
    const { db } = database;
    const row = await reserveSettlement(db, RESERVATION);
    if (row === null) throw new Error("not reserved");
    expect(moveSettlement(db, row, { state: "settling" })).rejects.toThrow();
    expect(moveSettlement(db, row, { state: "granted", from_height: 1 })).rejects.toThrow();
  });

  test("settlements without a worker are due, oldest first, and only finished ones are forgotten", async () => {
    await using database = await world();
    const { db } = database;
    for (const [n, due_at] of [50, 20, 80].entries()) {
      await reserveSettlement(db, { ...RESERVATION, nonce: `0x1${n}`, payment_id: `0xd${n}`, lease_until: 30, due_at });
    }
    await reserveSettlement(db, { ...RESERVATION, nonce: "0x20", payment_id: "0xd9", lease_until: 500, due_at: 10 });
    expect((await dueSettlements(db, 60, 10)).map(({ nonce }) => nonce)).toEqual(["0x11", "0x10"]);
    expect(await dueSettlements(db, 60, 1)).toHaveLength(1);
    const [over] = await dueSettlements(db, 60, 1);
    if (over === undefined) throw new Error("none is due");
    const granted = { state: "granted", from_height: 1, tx_hash: "0xaa", due_at: null } as const;
    await moveSettlement(db, over, granted);
    expect(await findSettlement(db, over)).toMatchObject({ state: "granted" });
    await forgetSettlements(db, 11, 10);
    expect(await findSettlement(db, over)).toBeUndefined();
    expect(await dueSettlements(db, 1_000, 10)).toHaveLength(3);
  });

  test("erasing an account removes its finished settlements", async () => {
    await using database = await world();
    const { db } = database;
    const row = await reserveSettlement(db, RESERVATION);
    await reserveSettlement(db, { ...RESERVATION, nonce: "0x02", payment_id: "0xd2" });
    if (row === null) throw new Error("not reserved");
    await moveSettlement(db, row, { state: "granted", from_height: 1, tx_hash: "0xaa", due_at: null });
    await forgetPayer(db, "u1");
    expect(await findSettlement(db, NAME)).toBeUndefined();
    expect(await findSettlement(db, { ...NAME, nonce: "0x02" })).toMatchObject({ state: "reserved" });
  });
});
