import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { eachDatabase } from "../../../test/support/databases.ts";
import { retireName } from "../erase/erase.store.ts";
import { claimName, isReservedName, isUsername, nameInTheWay, nameKey } from "./names.ts";

describe("nameKey", () => {
  test("is the same for all spellings of a name, and is its own key", () => {
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
  test.each(["ab", "A1", "0x", "a_b.c-d", "x".repeat(32), "platform-agent", "admins"])(
    "%s is a valid username",
    (name) => {
      expect(isUsername(name)).toBe(true);
    },
  );
  test.each(["", "a", "x".repeat(33), "_ab", ".ab", "-ab", "a b", "a@b", "añb", "ab\n", "ab\0", "аb", "a/b"])(
    "%j is not a valid username",
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

describe("names that look like reserved ones", () => {
  test.each([
    "adm1n",
    "ADM1N",
    "adrnin",
    "r00t",
    "ROOT",
    "0wner",
    "rnod",
    "m0d",
    "syste-m",
    "P1atformAgent",
    "PlatforrnAgent",
  ])("%s is reserved unless it clearly differs", (name) => {
    expect(isUsername(name)).toBe(name === "syste-m");
  });
});

eachDatabase((_, open) => {
  test("a name has one holder, whatever its case, and a refusal does not break the transaction", async () => {
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
    expect(await nameInTheWay(db, "ann lee")).toBeNull();
    await db.transaction().execute(async (db) => {
      expect(await claimName(db, "Ann_Lee", { kind: "user", userId: ann.id })).toBe(true);
      expect(await claimName(db, "ANN LEE", { kind: "user", userId: bob.id })).toBe(false);
      expect(await claimName(db, "bob", { kind: "user", userId: bob.id })).toBe(true);
    });
    expect(await nameInTheWay(db, "ann lee")).toBe("Ann_Lee");
    expect(await db.selectFrom("names").select(["name_key", "name", "user_id"]).orderBy("name_key").execute()).toEqual([
      { name_key: "ann_lee", name: "Ann_Lee", user_id: ann.id },
      { name_key: "bob", name: "bob", user_id: bob.id },
    ]);
  });

  test("a name that looks like another is refused, even after that account is erased", async () => {
    await using database = await open();
    const { db } = database;
    const agentId = async () => {
      const row = {
        owner_user_id: null,
        owner_verified: 0,
        paused: 0,
        last_seen_at: null,
        dropped_mentions: 0,
        created_at: 0,
      };
      return (await db.insertInto("agents").values(row).returning("id").executeTakeFirstOrThrow()).id;
    };
    const [first, second] = [await agentId(), await agentId()];
    const claim = (name: string, id = second) => claimName(db, name, { kind: "agent", agentId: id });
    expect(await claim("alice", first)).toBe(true);
    for (const name of ["a1ice", "aIice", "Alice", "ɑlice"]) {
      expect([name, await claim(name)]).toEqual([name, false]);
    }
    expect(await nameInTheWay(db, "a1ice")).toBe("alice");
    expect(await claim("a-lice")).toBe(true);
    const user = { username: "corn", username_key: "corn", invite_code: "corn", created_at: 0, updated_at: 0 };
    const { id } = await db.insertInto("users").values(user).returning("id").executeTakeFirstOrThrow();
    expect(await claimName(db, "corn", { kind: "user", userId: id })).toBe(true);
    await retireName(db, id, "corn", 1);
    expect([await claim("corn"), await claim("com"), await claim("c0rn")]).toEqual([false, false, false]);
    expect(await nameInTheWay(db, "com")).toBe("com");
  });

  test("only one of many concurrent claims to look-alike names succeeds", async () => {
    await using database = await open();
    const { db } = database;
    const row = {
      owner_user_id: null,
      owner_verified: 0,
      paused: 0,
      last_seen_at: null,
      dropped_mentions: 0,
      created_at: 0,
    };
    const { id } = await db.insertInto("agents").values(row).returning("id").executeTakeFirstOrThrow();
    const names = ["bill", "bi11", "biIl", "bil1", "b1ll", "bilI"];
    const claims = names.map((name) => claimName(db, name, { kind: "agent", agentId: id }));
    expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(2); // "b1ll" has a different look
    expect(await db.selectFrom("names").select("name_key").execute()).toHaveLength(2);
  });
});
