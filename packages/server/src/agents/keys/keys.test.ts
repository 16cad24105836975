import { describe, expect, test } from "bun:test";
import { stillClock } from "../../../test/support/clock.ts";
import { testContext } from "../../../test/support/context.ts";
import { eachDatabase } from "../../../test/support/databases.ts";
import { claimName } from "../../accounts/names/names.ts";
import { systemClock } from "../../clock.ts";
import type { AppContext } from "../../context.ts";
import { ControlPoll } from "../../realtime/control/control-poll.ts";
import { bindAgentName } from "../name-binding.ts";
import { watchKey } from "./key-cache.ts";
import { makeKey } from "./key-format.ts";
import { authenticateKey, issueKey, listKeys, recheckKey, revokeKey } from "./keys.ts";
import { flushLastUse } from "./last-use.ts";

const code = (code: string) => expect.objectContaining({ code });

/** Returns the identity that a call with that header gets, or the code it is refused with. */
async function outcome(ctx: AppContext, authorization: string | null): Promise<unknown> {
  try {
    return await authenticateKey(ctx, authorization);
  } catch (error) {
    return (error as { code?: string }).code ?? error;
  }
}

eachDatabase((_name, open) => {
  describe("keys", () => {
    test("an issued key authenticates its agent, without a query from the second time on", async () => {
      await using db = await open();
      const ctx = testContext(db);
      const key = await issueKey(ctx, { agentName: "Helper" });
      const identity = {
        kind: "agent" as const,
        keyId: key.key_id,
        agentId: key.agent_id,
        key: `a${key.agent_id}` as const,
      };
      expect(key.agent_name).toBe("Helper");
      expect(key.api_key).toMatch(/^ply_/);
      expect(await outcome(ctx, `Bearer ${key.api_key}`)).toEqual(identity);
      expect(authenticateKey(ctx, `Bearer ${key.api_key}`)).toEqual(identity);
      expect(authenticateKey(ctx, `bearer  ${key.api_key}`)).toEqual(identity);
      // A key that was accepted before takes a faster path, which must be just as exact.
      for (let at = 0; at < key.api_key.length; at++) {
        const other = key.api_key.charAt(at) === "x" ? "y" : "x";
        const header = `Bearer ${key.api_key.slice(0, at)}${other}${key.api_key.slice(at + 1)}`;
        expect(await outcome(ctx, header)).toBe("invalid_api_key");
      }
    });

    test("only hashes are stored, no secret", async () => {
      await using db = await open();
      const ctx = testContext(db);
      const { api_key } = await issueKey(ctx, {});
      const rows = JSON.stringify(await db.db.selectFrom("api_keys").selectAll().execute());
      expect(rows).not.toContain(api_key.slice(17, 60));
      expect(JSON.stringify(await listKeys(ctx))).not.toContain(api_key.slice(17, 60));
    });

    test("malformed and unknown keys get different errors", async () => {
      await using db = await open();
      const ctx = testContext(db);
      const key = await issueKey(ctx, {});
      const foreign = makeKey(systemClock);
      for (const header of [null, "", "Bearer", "Bearer ", "Basic dXNlcjpwYXNz"]) {
        expect(await outcome(ctx, header)).toBe("missing_api_key");
      }
      const swapped = makeKey({ randomBelow: () => 1 }).text;
      for (const text of ["x", foreign.text, `${key.api_key}0`, key.api_key.toLowerCase(), swapped]) {
        expect(await outcome(ctx, `Bearer ${text}`)).toBe("invalid_api_key");
      }
    });

    test("an id with a wrong secret is refused, whether the key is cached or not", async () => {
      await using db = await open();
      const ctx = testContext(db);
      const key = await issueKey(ctx, {});
      // A key with that id and a valid checksum, as an attacker would make it.
      const id = key.key_id;
      const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
      let at = 0;
      const forged = makeKey({ randomBelow: () => (at < 12 ? alphabet.indexOf(id.charAt(at++)) : 5) });
      expect(forged.id).toBe(id);
      expect(await outcome(ctx, `Bearer ${forged.text}`)).toBe("invalid_api_key");
      await outcome(ctx, `Bearer ${key.api_key}`);
      expect(await outcome(ctx, `Bearer ${forged.text}`)).toBe("invalid_api_key");
      await revokeKey(ctx, id);
      // Only callers with the secret learn that the key existed.
      expect(await outcome(testContext(db), `Bearer ${forged.text}`)).toBe("invalid_api_key");
    });

    test("a running server notices a key that another process revoked", async () => {
      await using db = await open();
      const ctx = testContext(db);
      const key = await issueKey(ctx, {});
      const caller = await authenticateKey(ctx, `Bearer ${key.api_key}`);
      let heard = 0;
      const unwatch = watchKey(ctx, key.key_id, () => heard++);
      const poll = await ControlPoll.start(ctx);
      expect(await revokeKey({ db: db.db, clock: systemClock }, key.api_key)).toBe("revoked");
      await poll.run();
      expect(heard).toBe(1);
      expect(await outcome(ctx, `Bearer ${key.api_key}`)).toBe("key_revoked");
      expect(recheckKey(ctx, caller)).rejects.toEqual(code("key_revoked"));
      unwatch();
      expect(await revokeKey(ctx, key.key_id)).toBe("already");
      expect(await revokeKey(ctx, "000000000000")).toBe("unknown");
      expect(await revokeKey(ctx, "no key")).toBe("unknown");
    });

    test("a revocation in the future takes effect at its time", async () => {
      await using db = await open();
      const clock = stillClock();
      const ctx = testContext(db, { clock });
      const key = await issueKey(ctx, {});
      await db.db
        .updateTable("api_keys")
        .set({ revoked_at: clock.now() + 1_000 })
        .execute();
      expect(await outcome(ctx, `Bearer ${key.api_key}`)).toMatchObject({ agentId: key.agent_id });
      clock.advance(1_000);
      expect(await outcome(ctx, `Bearer ${key.api_key}`)).toBe("key_revoked");
    });

    test("a paused agent gets its own error", async () => {
      await using db = await open();
      const ctx = testContext(db);
      const key = await issueKey(ctx, {});
      await db.db.updateTable("agents").set({ paused: 1 }).execute();
      expect(await outcome(ctx, `Bearer ${key.api_key}`)).toBe("agent_paused");
    });

    test("last uses are written in batches, to the second", async () => {
      await using db = await open();
      const clock = stillClock(Date.UTC(2026, 0, 1) + 400);
      const ctx = testContext(db, { clock });
      const key = await issueKey(ctx, {});
      await authenticateKey(ctx, `Bearer ${key.api_key}`);
      expect((await listKeys(ctx))[0]?.last_used_at).toBeNull();
      await flushLastUse(ctx);
      expect((await listKeys(ctx))[0]?.last_used_at).toBe("2026-01-01T00:00:00.000Z");
      clock.advance(60_000);
      await authenticateKey(ctx, `Bearer ${key.api_key}`);
      await flushLastUse(ctx);
      const agent = await db.db.selectFrom("agents").select("last_seen_at").executeTakeFirstOrThrow();
      expect(agent.last_seen_at).toBe(Date.UTC(2026, 0, 1, 0, 1));
    });

    test("keys can have no name, can have an owner, and are all listed", async () => {
      await using db = await open();
      const ctx = testContext(db);
      await insertOwner(ctx, "Ann");
      const first = await issueKey(ctx, { agentName: "Helper", ownerUsername: "ann" });
      const second = await issueKey(ctx, {});
      expect(second.agent_name).toBeNull();
      expect(issueKey(ctx, { ownerUsername: "nobody" })).rejects.toEqual(code("user_not_found"));
      await revokeKey(ctx, second.key_id);
      const keys = await listKeys(ctx);
      expect(keys.find(({ key_id }) => key_id === first.key_id)).toEqual({
        key_id: first.key_id,
        key_prefix: `ply_${first.key_id}`,
        agent_id: first.agent_id,
        agent_names: ["Helper"],
        owner_username: "Ann",
        paused: false,
        created_at: expect.any(String),
        last_used_at: null,
        revoked_at: null,
        scopes: null,
        channels: null,
        expires_at: null,
      });
      expect(keys.find(({ key_id }) => key_id === second.key_id)).toMatchObject({
        agent_names: [],
        owner_username: null,
        revoked_at: expect.any(String),
      });
    });
  });

  describe("names", () => {
    test("a name is bound to the first agent that uses it, in any spelling", async () => {
      await using db = await open();
      const ctx = testContext(db);
      const one = (await issueKey(ctx, { agentName: "Data Bot" })).agent_id;
      const two = (await issueKey(ctx, {})).agent_id;
      expect(await bindAgentName(ctx, one, "data_bot")).toBe("Data Bot");
      expect(bindAgentName(ctx, one, "data_bot")).toBe("Data Bot");
      expect(async () => bindAgentName(ctx, two, "DATA bot")).toThrow(code("agent_name_taken"));
      expect(await bindAgentName(ctx, two, "other")).toBe("other");
      expect(async () => bindAgentName(ctx, one, "Other")).toThrow(code("agent_name_taken"));
      expect(issueKey(ctx, { agentName: "other" })).rejects.toEqual(code("agent_name_taken"));
    });

    test("usernames and reserved names are refused", async () => {
      await using db = await open();
      const ctx = testContext(db);
      await claimName(ctx.db, "ann", { kind: "user", userId: await insertOwner(ctx, "ann") });
      const { agent_id } = await issueKey(ctx, {});
      expect(async () => bindAgentName(ctx, agent_id, "Ann")).toThrow(code("agent_name_taken"));
      expect(async () => bindAgentName(ctx, agent_id, "admin")).toThrow(code("invalid_agent_name"));
      expect(issueKey(ctx, { agentName: "ANN" })).rejects.toEqual(code("agent_name_taken"));
      expect(issueKey(ctx, { agentName: "system" })).rejects.toEqual(code("invalid_agent_name"));
      // A refused issue leaves no agent behind.
      expect(await db.db.selectFrom("agents").selectAll().execute()).toHaveLength(1);
    });

    test("one of two concurrent claims to a name succeeds", async () => {
      await using db = await open();
      const ctx = testContext(db);
      const ids = [
        (await issueKey(ctx, {})).agent_id,
        (await issueKey(ctx, {})).agent_id,
        (await issueKey(ctx, {})).agent_id,
      ];
      const outcomes = await Promise.allSettled(ids.map(async (id) => bindAgentName(ctx, id, "wanted")));
      expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    });

    test("PlatformAgent can be used by every agent and belongs to none", async () => {
      await using db = await open();
      const ctx = testContext(db);
      const one = await issueKey(ctx, { agentName: "PlatformAgent" });
      const two = await issueKey(ctx, { agentName: "platformagent" });
      expect([one.agent_name, two.agent_name]).toEqual(["PlatformAgent", "PlatformAgent"]);
      expect(await bindAgentName(ctx, one.agent_id, "PLATFORMAGENT")).toBe("PlatformAgent");
      expect(await db.db.selectFrom("names").selectAll().execute()).toEqual([]);
    });
  });
});

async function insertOwner(ctx: AppContext, username: string): Promise<number> {
  const row = await ctx.db
    .insertInto("users")
    .values({
      username,
      username_key: username.toLowerCase(),
      email: null,
      password_hash: null,
      evm_address: null,
      sol_address: null,
      admin_level: null,
      invite_code: username,
      invited_by: null,
      suspended_until: null,
      created_at: 0,
      updated_at: 0,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return row.id;
}
