import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { eachDialect } from "../../test/support/databases.ts";
import { systemClock } from "../clock.ts";
import {
  isStorageFull,
  isUnavailable,
  isUniqueViolation,
  type OpenDatabase,
  openDatabase,
  readEpoch,
} from "./database.ts";
import { MIGRATIONS } from "./migrations/migrations.ts";
import { schemaNumber } from "./schema-number.ts";
import { StartupError } from "./startup-error.ts";

const NOW = 1_750_000_000_000;

function user(name: string) {
  return {
    username: name,
    username_key: name.toLowerCase(),
    email: null,
    password_hash: null,
    evm_address: null,
    sol_address: null,
    admin_level: null,
    invite_code: `code-${name}`,
    invited_by: null,
    suspended_until: null,
    created_at: NOW,
    updated_at: NOW,
  };
}

function message(seq: number, fields: { type?: "text" | "sticker"; client_key?: string | null } = {}) {
  return {
    channel_id: 1,
    seq,
    type: "text" as const,
    content: "hello",
    sender_type: "user" as const,
    user_id: 1,
    sender_name: "alice",
    created_at: NOW,
    ...fields,
  };
}

async function rejection(act: Promise<unknown>): Promise<unknown> {
  return act.then(
    () => expect.unreachable("it did not fail"),
    (error) => error,
  );
}

eachDialect((_, open) => {
  let opened: OpenDatabase;
  beforeEach(async () => {
    opened = await open({ ...systemClock, now: () => NOW });
  }, 60_000);
  afterEach(() => opened[Symbol.asyncDispose]());

  test("a new database has the channel general, an epoch and the newest schema", async () => {
    const { db } = opened;
    const channels = await db.selectFrom("channels").selectAll().execute();
    expect(channels).toMatchObject([
      { id: 1, slug: "general", is_private: 0, owner_id: null, last_seq: 0, created_at: NOW, deleted_at: null },
    ]);
    expect(await readEpoch(db)).toMatch(/^[0-9a-f]{24}$/);
    expect(await schemaNumber(db)).toBe(MIGRATIONS.length);
  });

  test("the first channel after general has the next id", async () => {
    const general = await opened.db.selectFrom("channels").selectAll().executeTakeFirstOrThrow();
    const { id: _, ...fields } = general;
    const made = await opened.db
      .insertInto("channels")
      .values({ ...fields, slug: "second" })
      .returning("id")
      .executeTakeFirstOrThrow();
    expect(made.id).toBe(2);
  });

  test("a deleted channel's slug becomes free", async () => {
    const { db } = opened;
    const { id: _, ...general } = await db.selectFrom("channels").selectAll().executeTakeFirstOrThrow();
    expect(isUniqueViolation(await rejection(db.insertInto("channels").values(general).execute()))).toBe(true);
    await db.updateTable("channels").set({ deleted_at: NOW }).execute();
    await db.insertInto("channels").values(general).execute();
  });

  test("unique violations are recognized, and other errors are not taken for them", async () => {
    const { db } = opened;
    await db.insertInto("users").values(user("Alice")).execute();
    const same = await rejection(db.insertInto("users").values(user("ALICE")).execute());
    expect(isUniqueViolation(same)).toBe(true);
    expect([isStorageFull(same), isUnavailable(same)]).toEqual([false, false]);

    await db.insertInto("meta").values({ key: "k", value: "1" }).execute();
    const samePrimaryKey = await rejection(db.insertInto("meta").values({ key: "k", value: "2" }).execute());
    expect(isUniqueViolation(samePrimaryKey)).toBe(true);

    const badFlag = await rejection(
      db.insertInto("agents").values({ owner_verified: 2, paused: 0, dropped_mentions: 0, created_at: NOW }).execute(),
    );
    const noSuchUser = await rejection(
      db
        .insertInto("avatars")
        .values({ user_id: 99, mime_type: "", etag: "", bytes: new Uint8Array(1) })
        .execute(),
    );
    const badEnum = await rejection(
      db
        .insertInto("messages")
        .values({ ...message(1), type: "shout" as "text" })
        .execute(),
    );
    for (const error of [badFlag, noSuchUser, badEnum]) {
      expect(error).toBeInstanceOf(Error);
      expect(isUniqueViolation(error)).toBe(false);
    }
  });

  test("a client key is unique if there is one", async () => {
    const { db } = opened;
    await db
      .insertInto("messages")
      .values([message(1), message(2), message(3, { client_key: "u1:a" })])
      .execute();
    const again = await rejection(
      db
        .insertInto("messages")
        .values(message(4, { client_key: "u1:a" }))
        .execute(),
    );
    expect(isUniqueViolation(again)).toBe(true);
    expect(isUniqueViolation(await rejection(db.insertInto("messages").values(message(1)).execute()))).toBe(true);
  });

  test("numbers, bytes and text are read back unchanged", async () => {
    const { db } = opened;
    const big = Number.MAX_SAFE_INTEGER;
    await db
      .insertInto("users")
      .values({ ...user("a"), created_at: big })
      .execute();
    const bytes = new Uint8Array([0, 1, 127, 128, 255]);
    await db.insertInto("avatars").values({ user_id: 1, mime_type: "ü", etag: "'\"\\", bytes }).execute();
    const row = await db.selectFrom("avatars").selectAll().executeTakeFirstOrThrow();
    expect(row).toEqual({ user_id: 1, mime_type: "ü", etag: "'\"\\", bytes });
    expect(row.bytes.constructor).toBe(Uint8Array);
    const { created_at } = await db.selectFrom("users").select("created_at").executeTakeFirstOrThrow();
    expect(created_at).toBe(big);
    const { count } = await db
      .selectFrom("users")
      .select((eb) => eb.fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    expect(count).toBe(1);
  });

  test("text is ordered by bytes", async () => {
    const { db } = opened;
    for (const key of ["b", "a", "B", "_", "é"]) await db.insertInto("meta").values({ key, value: "order" }).execute();
    const rows = await db.selectFrom("meta").select("key").where("value", "=", "order").orderBy("key").execute();
    expect(rows.map((row) => row.key)).toEqual(["B", "_", "a", "b", "é"]);
  });

  test("updates report how many rows they changed", async () => {
    const { db } = opened;
    const changed = await db.updateTable("channels").set({ topic: "t" }).where("id", "=", 1).executeTakeFirst();
    const missed = await db.updateTable("channels").set({ topic: "t" }).where("id", "=", 2).executeTakeFirst();
    expect([changed.numUpdatedRows, missed.numUpdatedRows]).toEqual([1n, 0n]);
  });
});

describe("an unreachable PostgreSQL", () => {
  test("is reported with advice and without its password", async () => {
    // Nothing listens on port 1 of the loopback.
    const config = { kind: "postgres", url: "postgres://me:secret@127.0.0.1:1/parley" } as const;
    const refusal = await rejection(openDatabase(config, systemClock));
    expect(refusal).toBeInstanceOf(StartupError);
    expect(String(refusal)).toContain("127.0.0.1:1/parley");
    expect(String(refusal)).toContain("DATABASE_URL");
    expect(String(refusal)).not.toContain("secret");
    expect(isUnavailable(refusal)).toBe(true);
  });
});
