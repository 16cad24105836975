import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { eachDatabase } from "../../test/support/databases.ts";
import { claimName, isNameTaken, isReservedName, isUsername, nameKey } from "./names.ts";

describe("nameKey", () => {
  test("is one for all spellings of a name, and stays itself", () => {
    const names = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9 _.-]{0,31}$/);
    fc.assert(
      fc.property(names, (name) => {
        const key = nameKey(name);
        expect(nameKey(key)).toBe(key);
        expect(nameKey(name.toUpperCase())).toBe(key);
        expect(nameKey(name.replaceAll(" ", "_"))).toBe(key);
        expect(key).toHaveLength(name.length);
      }),
    );
  });
});

describe("usernames", () => {
  test.each(["ab", "A1", "0x", "a_b.c-d", "x".repeat(32), "platform-agent", "admins"])("%s is one", (name) => {
    expect(isUsername(name)).toBe(true);
  });
  test.each(["", "a", "x".repeat(33), "_ab", ".ab", "-ab", "a b", "a@b", "añb", "ab\n", "ab\0", "аb", "a/b"])(
    "%j is none",
    (name) => {
      expect(isUsername(name)).toBe(false);
    },
  );
  test.each([
    "admin",
    "Root",
    "ADMINISTRATOR",
    "system",
    "moderator",
    "mod",
    "owner",
    "everyone",
    "here",
    "channel",
    "PlatformAgent",
  ])("%s is reserved", (name) => {
    expect(isReservedName(name)).toBe(true);
    expect(isUsername(name)).toBe(false);
  });
});

eachDatabase((_, open) => {
  test("a name goes to one holder, whatever its case, and a refusal does not spoil the transaction", async () => {
    await using database = await open();
    const { db } = database;
    const insert = (name: string) =>
      db
        .insertInto("users")
        .values({ username: name, username_key: nameKey(name), invite_code: name, created_at: 0, updated_at: 0 })
        .returning("id")
        .executeTakeFirstOrThrow();
    const ann = await insert("Ann_Lee");
    const bob = await insert("bob");
    expect(await isNameTaken(db, "ann lee")).toBe(false);
    await db.transaction().execute(async (db) => {
      expect(await claimName(db, "Ann_Lee", { kind: "user", userId: ann.id })).toBe(true);
      expect(await claimName(db, "ANN LEE", { kind: "user", userId: bob.id })).toBe(false);
      expect(await claimName(db, "bob", { kind: "user", userId: bob.id })).toBe(true);
    });
    expect(await isNameTaken(db, "ann lee")).toBe(true);
    expect(await db.selectFrom("names").select(["name_key", "name", "user_id"]).orderBy("name_key").execute()).toEqual([
      { name_key: "ann_lee", name: "Ann_Lee", user_id: ann.id },
      { name_key: "bob", name: "bob", user_id: bob.id },
    ]);
  });
});
