import { expect, test } from "bun:test";
import { sql } from "kysely";
import { eachDialect } from "../../../test/support/databases.ts";
import { systemClock } from "../../clock.ts";
import { columnTypes } from "../columns.ts";
import { paymentAmounts } from "./0021-payment-amounts.ts";

eachDialect((_name, open) => {
  test("payments and challenges survive, and a payment can be bound by its amount", async () => {
    await using database = await open();
    const { db, dialect } = database;
    const run = async (statements: readonly string[]) => {
      for (const statement of statements) await sql.raw(statement).execute(db);
    };
    // Restore the earlier schema.
    await run([
      "drop index payment_challenges_exact",
      "drop index payment_challenges_by_principal",
      "alter table payment_challenges drop column price",
      "alter table payment_challenges drop column revealed_at",
      "alter table payments drop column refetch_hash",
    ]);
    const demand = { resource: "/api/paid/a", principal: "g", chain: "evm", chain_id: 1, currency: "ETH" } as const;
    const times = { created_at: 1, expires_at: 2 };
    for (const payment_id of ["0x1", "0x2"]) {
      await sql`insert into payment_challenges (payment_id, resource, principal, chain, chain_id, currency, recipient, amount, created_at, expires_at)
        values (${payment_id}, '/api/paid/a', 'g', 'evm', 1, 'ETH', '0xShop', '5000', 1, 2)`.execute(db);
    }
    await sql`insert into payments (chain, chain_id, tx_hash, resource, principal, state, lease_until, currency, recipient, price, binding, created_at, granted_at)
      values ('evm', 1, '0xh1', '/api/paid/a', 'g', 'granted', 1, 'ETH', '0xShop', '5000', 'profile', 1, 1)`.execute(
      db,
    );

    await paymentAmounts.up({ db, columns: columnTypes(dialect), clock: systemClock, run });

    const kept = await db.selectFrom("payment_challenges").select(["price", "amount", "revealed_at"]).execute();
    expect(kept).toEqual(Array(2).fill({ price: "5000", amount: "5000", revealed_at: null }));
    const [payment] = await db.selectFrom("payments").selectAll().execute();
    expect(payment).toMatchObject({ binding: "profile", refetch_hash: null, tx_hash: "0xh1" });
    await db.updateTable("payments").set({ binding: "amount" }).execute();
    await expect(sql`update payments set binding = 'guess'`.execute(db)).rejects.toThrow();

    const exact = { ...demand, ...times, token_address: null, recipient: "0xShop", price: "5000", amount: "5003" };
    const insert = (more: object) =>
      db
        .insertInto("payment_challenges")
        .values({ ...exact, payment_id: "0x3", ...more })
        .execute();
    await insert({});
    await expect(insert({ payment_id: "0x4", price: "5001" })).rejects.toThrow();
    await insert({ payment_id: "0x5", token_address: "0xUsdc" });
    await insert({ payment_id: "0x6", recipient: "0xOther" });
  });
});
