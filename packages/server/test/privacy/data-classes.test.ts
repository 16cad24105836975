import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { register } from "../../src/accounts/accounts.service.ts";
import { existingChannel } from "../../src/channels/access/access.ts";
import { purgePass } from "../../src/channels/deleted/purge.ts";
import { createChannel, deleteChannel } from "../../src/channels/settings/settings.service.ts";
import type { ColumnClasses, DataClasses } from "../../src/db/tables/data-classes.ts";
import { transact } from "../../src/db/transact.ts";
import { BEGINNING, type Place } from "../../src/erasure.ts";
import { postMessage } from "../../src/messages/append/post-message.ts";
import { purgeSome } from "../../src/messages/removal.ts";
import { MODULES } from "../../src/modules.ts";
import { eraseUser } from "../../src/privacy/erasure.service.ts";
import { stepsOf } from "../../src/privacy/steps.ts";
import { addReaction } from "../../src/reactions/reactions.service.ts";
import { claimId } from "../../src/red-packets/claim/packet-claims.store.ts";
import { claimKey } from "../../src/red-packets/claim/payout-port.ts";
import { user } from "../support/actors.ts";
import { testContext } from "../support/context.ts";
import { openFreshSqlite } from "../support/databases.ts";
import { columnsOf, type Filling, fillTables } from "../support/privacy/filled-tables.ts";
import { RowChanges } from "../support/privacy/row-changes.ts";

const FOLDER = join(import.meta.dir, "../../src/db/tables");
const PASSWORD = "correct horse battery";
const NAME = "Zuleika";
/** No other table has such ids. */
const FIRST_ID = 7_000_000;
/** Only an erasure that is under way has a row in it. */
const EMPTY = ["erasures"];

const classes: DataClasses = Object.assign(
  {},
  ...(await Promise.all(
    readdirSync(FOLDER).map(
      async (file) => ((await import(join(FOLDER, file))) as { dataClasses?: object }).dataClasses,
    ),
  )),
);
const wordsOf = (text = ""): string[] => text.split(/\s+/).filter((word) => word !== "");
const perClass = (of: ColumnClasses): (readonly [column: string, name: string])[] =>
  Object.entries(of).flatMap(([name, columns]) => wordsOf(columns).map((column) => [column, name] as const));

describe("the classes of the columns", () => {
  test("name every column of the database once, and no other", async () => {
    await using database = await openFreshSqlite();
    const columns = await columnsOf(database.db);
    expect(Object.keys(classes).sort()).toEqual([...columns.keys()]);
    for (const [table, own] of columns) {
      const names = own.map(({ name }) => name).sort();
      const { erased, purged } = classes[table] ?? { erased: {} };
      for (const of of typeof purged === "object" ? [erased, purged] : [erased]) {
        const { delete: deleted, ...rest } = of;
        const listed = perClass(rest).map(([column]) => column);
        const all = [...listed, ...wordsOf(deleted).filter((column) => !listed.includes(column))];
        expect({ table, columns: all.sort() }).toEqual({ table, columns: names });
      }
      const isOfChannel = names.some((name) => name === "channel_id" || name === "message_id");
      if (isOfChannel) expect({ table, purged }).not.toEqual({ table, purged: undefined });
    }
  });

  test("say what an erasure leaves", async () => {
    await using scene = await filledDatabase();
    const { ctx, ann } = scene;
    const person = { userId: ann.userId, username: NAME };
    const seen = await scene.watch();
    await seen.during("closing", () => eraseUser(ctx, ann, NAME, PASSWORD));
    for (const { name, erase } of stepsOf(MODULES)) {
      await seen.during(name, async () => {
        let place: Place | null = BEGINNING;
        while (place !== null) place = await transact(ctx, (ctx) => erase(ctx, person, place ?? BEGINNING));
      });
    }
    for (const [table, { erased }] of Object.entries(classes)) {
      if (EMPTY.includes(table)) continue;
      expect(seen.changesOf(table)).toEqual({ table, deletes: "delete" in erased, ...changing(erased) });
      const { delete: deleting, ...staying } = erased;
      const gone = wordsOf(deleting).filter((column) => !perClass(staying).some(([stays]) => stays === column));
      const left = seen.rows(table).filter((row) => gone.some((column) => row[column] === ann.userId));
      expect({ table, left }).toEqual({ table, left: [] });
    }
  });

  test("say what a purge leaves", async () => {
    await using scene = await filledDatabase();
    const { ctx, bob, room } = scene;
    const seen = await scene.watch();
    await seen.during("purge", async () => {
      await deleteChannel(ctx, bob, { id: room });
      await ctx.db.updateTable("channels").set({ deleted_at: 1, held_until: null }).where("id", "=", room).execute();
      while (await purgePass(ctx, purgeSome));
    });
    for (const [table, { purged = "keep" }] of Object.entries(classes)) {
      const expected = typeof purged === "object" ? changing(purged) : {};
      expect(seen.changesOf(table)).toEqual({ table, deletes: purged === "delete", ...expected });
      const left = purged === "delete" ? seen.rows(table).filter((row) => row.channel_id === room) : [];
      expect({ table, left }).toEqual({ table, left: [] });
    }
  });
});

/** Returns the columns that change, with their classes. */
const changing = (of: ColumnClasses): Record<string, string> =>
  Object.fromEntries(perClass(of).filter(([, name]) => name !== "keep" && name !== "delete"));

/** A database in which every table has something of ann, and the channel `room` something of most. */
async function filledDatabase() {
  const database = await openFreshSqlite();
  const ctx = testContext(database);
  for (const module of MODULES) module.register?.(ctx, MODULES);
  const bob = await user(ctx, "bob", 3);
  await sql`update sqlite_sequence set seq = ${FIRST_ID} where name = 'users'`.execute(ctx.db);
  const { identity: ann } = await register(ctx, {
    username: NAME,
    password: PASSWORD,
    address: "192.0.2.1",
    userAgent: null,
  });
  const carol = await user(ctx, "carol");
  const [room, talk, left, told] = (await Promise.all(
    (["room", "talk", "left", "told"] as const).map(async (name) => (await createChannel(ctx, bob, { name })).id),
  )) as [number, number, number, number];
  const channel = await existingChannel(ctx, { id: room });
  const root = await postMessage(ctx, { caller: bob, channel, content: `hello @${NAME} and @carol` });
  const reply = await postMessage(ctx, { caller: ann, channel, content: "yes", threadRootId: root.id });
  for (const caller of [ann, bob]) await addReaction(ctx, caller, root.id, "like");
  // The newest message of all keeps an empty row.
  await postMessage(ctx, { caller: bob, channel: await existingChannel(ctx, { id: talk }), content: "newest" });
  await ctx.db.updateTable("messages").set({ sticker: names, files: names, card: names }).execute();
  await ctx.db.updateTable("users").set({ admin_level: 1 }).where("id", "=", ann.userId).execute();
  await ctx.db
    .updateTable("channels")
    .set({ is_private: 1, password_hash: "1" })
    .where("id", "=", channel.id)
    .execute();
  await ctx.db.updateTable("channels").set({ owner_id: ann.userId, deleted_at: 1 }).where("id", "=", told).execute();
  await ctx.db.deleteFrom("channel_members").where("channel_id", "=", left).execute();
  const columns = await columnsOf(ctx.db);
  await fillTables(ctx.db, columns, {
    classes,
    person: { id: ann.userId, name: NAME },
    ids: {
      channel_id: room,
      message_id: root.id,
      root_id: root.id,
      user_id: ann.userId,
      created_by_user: ann.userId,
      actor_id: ann.userId,
    },
    special: {
      ...specialRows(ann.userId, bob.userId, reply.id),
      direct_agents: [{ channel_id: told }],
      direct_channels: [
        { low_user_id: bob.userId, channel_id: talk },
        { high_user_id: carol.userId, channel_id: left },
      ],
    },
  });
  return {
    ctx,
    ann,
    bob,
    room,
    watch: () => RowChanges.watch(ctx.db, columns),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

const noPreviews = { small_sha256: null, large_sha256: null };
const names = JSON.stringify({ username: NAME });

function specialRows(ann: number, bob: number, reply: number): Filling["special"] {
  const principal = `u${ann}`;
  return {
    erasures: [],
    api_keys: [{ revoked_at: null }],
    audit_log: [{ actor: NAME, details: names }],
    channel_bans: [
      { member_key: principal, banned_by: "bob" },
      { member_key: `u${bob}`, user_id: bob },
    ],
    file_blobs: [{ unused_at: null }, { sha256: "sent", unused_at: null }],
    daily_earnings: [{}],
    honor: [{}],
    files: [
      { ...noPreviews, channel_id: null, message_id: null },
      { ...noPreviews, message_id: reply, sha256: "sent" },
    ],
    file_usage: [{ owner: principal }],
    idempotency_keys: [{ actor_key: principal }],
    import_items: [{ kind: "user", parley_id: ann }],
    interactions: [{ status: "decided", who: names, receipt: JSON.stringify({ signed: names }) }],
    notifications: [{}],
    packets: [{ id: 1, chain: "evm", status: "exhausted", remaining_amount: "0", funding_status: "settled" }],
    packet_claims: [{ id: claimId(1, 1), payout_status: "settled" }],
    payment_challenges: [{ principal }],
    payment_settlements: [{ principal, state: "granted" }],
    payments: [{ principal, state: "granted" }],
    payouts: [{ key: claimKey(1, ann), state: "settled" }],
    reports: [{ snapshot: names }],
    verification_codes: [{ purpose: "recover" }],
    stickers: [
      { deleted_at: null, sha256: "shown" },
      { deleted_at: null, sha256: "unused" },
    ],
  };
}
