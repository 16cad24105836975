import { describe, expect, test } from "bun:test";
import { CODE_TRIES } from "@parley/protocol/limits";
import { sql } from "kysely";
import { code, user } from "../../test/support/actors.ts";
import { testContext } from "../../test/support/context.ts";
import { eachDatabase } from "../../test/support/databases.ts";
import { moreConnections } from "../../test/support/faults/more-connections.ts";
import { authenticateKey } from "../agents/keys/keys.ts";
import type { AppContext } from "../context.ts";
import { GUEST } from "../http/identity.ts";
import type { SocialPost } from "../lookups/lookup.ts";
import { type Redemption, recover, recoveryOf, redeem } from "./claims.service.ts";
import { fillPool } from "./code-pool.ts";
import { giveCode } from "./codes.service.ts";

const HERE = "192.0.2.1";
const MANY = 100;

/** Returns a lookup that finds a post of that account with that text. */
const posted = (text: string, accountId: string) => async (): Promise<SocialPost> => ({
  provider: "x",
  accountId,
  handle: accountId,
  text,
  createdAt: Date.now(),
  kind: "original",
  url: "https://x.com/i/status/1",
});

interface Given extends Redemption {
  /** The sentence to post. */
  sentence: string;
}

/** Gives out a code for a claim, or for recovering that agent. */
async function attempt(ctx: AppContext, agentId?: number): Promise<Given> {
  const use = agentId === undefined ? undefined : await recoveryOf(ctx, { agent_id: agentId });
  const { verification_code: code, claim_token, post_template: sentence } = await giveCode(ctx, HERE, use);
  const tokens = [claim_token];
  const url = "https://x.com/i/status/1";
  return { url, code, tokens, sentence, address: HERE, caller: GUEST, header: null, username: null };
}

/** Counts the rows that a claim creates. */
async function made(ctx: AppContext): Promise<Record<string, number>> {
  const tables = ["agents", "api_keys", "social_claims", "users", "names"] as const;
  const counts = tables.map(async (table) => [table, (await ctx.db.selectFrom(table).selectAll().execute()).length]);
  return Object.fromEntries(await Promise.all(counts));
}

const ONE = { agents: 1, api_keys: 1, social_claims: 1, users: 1, names: 1 };
const valuesOf = <T>(settled: PromiseSettledResult<T>[]): T[] =>
  settled.filter((one) => one.status === "fulfilled").map(({ value }) => value);
const codesOf = (settled: PromiseSettledResult<unknown>[]): Set<string> =>
  new Set(settled.filter((one) => one.status === "rejected").map(({ reason }) => reason.code ?? String(reason)));

eachDatabase((name, open) => {
  /** One connection pool per context: races must be decided by the database, not within this process. */
  async function contexts(db: Awaited<ReturnType<typeof open>>): Promise<{ all: AppContext[] } & AsyncDisposable> {
    const others = await moreConnections(name, db, 30);
    const all = [db, ...others.list].map((open) => testContext(open));
    await fillPool({ db: db.db, clock: all[0]?.clock ?? testContext(db).clock }, MANY);
    return { all, [Symbol.asyncDispose]: () => others[Symbol.asyncDispose]() };
  }

  describe("concurrent claims", () => {
    test("of one code by several accounts give one key", async () => {
      await using db = await open();
      await using racing = await contexts(db);
      const [ctx] = racing.all as [AppContext];
      const input = await attempt(ctx);
      const settled = await Promise.allSettled(
        Array.from({ length: MANY }, (_, n) =>
          redeem(racing.all[n % racing.all.length] ?? ctx, input, posted(input.code, `account ${n}`)),
        ),
      );
      expect(valuesOf(settled)).toHaveLength(1);
      expect(codesOf(settled).isSubsetOf(new Set(["verification_code_used", "too_many_tries"]))).toBe(true);
      expect(await made(ctx)).toEqual(ONE);
    });

    test("of one code ask the network no more often than it has tries", async () => {
      await using db = await open();
      await using racing = await contexts(db);
      const [ctx] = racing.all as [AppContext];
      const input = await attempt(ctx);
      let asked = 0;
      const wrong = () => {
        asked++;
        return posted("nothing", "one")();
      };
      const settled = await Promise.allSettled(
        Array.from({ length: MANY }, (_, n) => redeem(racing.all[n % racing.all.length] ?? ctx, input, wrong)),
      );
      expect(asked).toBe(CODE_TRIES);
      expect(codesOf(settled)).toEqual(new Set(["code_not_in_post", "too_many_tries"]));
    });

    test("of one account with several codes give one key", async () => {
      await using db = await open();
      await using racing = await contexts(db);
      const [ctx] = racing.all as [AppContext];
      const inputs = await Promise.all(Array.from({ length: MANY }, () => attempt(ctx)));
      const settled = await Promise.allSettled(
        inputs.map((input, n) => redeem(racing.all[n % racing.all.length] ?? ctx, input, posted(input.code, "one"))),
      );
      expect(valuesOf(settled)).toHaveLength(1);
      expect(codesOf(settled)).toEqual(new Set(["social_account_already_claimed"]));
      expect(await made(ctx)).toEqual(ONE);
      // The codes that lost are not used up.
      const used = await ctx.db
        .selectFrom("verification_codes")
        .select("code")
        .where("used_at", "is not", null)
        .execute();
      expect(used).toHaveLength(1);
    });

    test("of one name give it to one agent and other names to the rest", async () => {
      await using db = await open();
      await using racing = await contexts(db);
      const [ctx] = racing.all as [AppContext];
      const inputs = await Promise.all(Array.from({ length: 10 }, () => attempt(ctx)));
      const claimed = await Promise.all(
        inputs.map((input, n) =>
          redeem(
            racing.all[n % racing.all.length] ?? ctx,
            { ...input, username: "Zoe" },
            posted(input.code, `account ${n}`),
          ),
        ),
      );
      const names = claimed.map(({ username }) => username);
      expect(names.filter((name) => name === "Zoe")).toHaveLength(1);
      expect(names.filter((name) => name?.startsWith("anon_"))).toHaveLength(9);
      expect(await made(ctx)).toMatchObject({ users: 10, agents: 10, api_keys: 10 });
    });

    test("that recover one agent leave only the last key valid", async () => {
      await using db = await open();
      await using racing = await contexts(db);
      const [ctx] = racing.all as [AppContext];
      const first = await attempt(ctx);
      const { agent_id } = await redeem(ctx, first, posted(first.code, "one"));
      const inputs = await Promise.all(Array.from({ length: 10 }, () => attempt(ctx, agent_id)));
      const recovered = await Promise.all(
        inputs.map((input, n) =>
          recover(racing.all[n % racing.all.length] ?? ctx, input, posted(input.sentence, "one")),
        ),
      );
      const good = await Promise.allSettled(
        recovered.map(async ({ api_key }) => authenticateKey(testContext(db), `Bearer ${api_key}`)),
      );
      expect(valuesOf(good)).toEqual([expect.objectContaining({ agentId: agent_id })]);
      expect(codesOf(good)).toEqual(new Set(["key_revoked"]));
    });
  });

  test("a recovery keeps the agent's name and owner and requires an account that has claimed", async () => {
    await using db = await open();
    const ctx = testContext(db);
    await fillPool(ctx, 10);
    const ann = await user(ctx, "ann");
    const first = await attempt(ctx);
    const claimed = await redeem(ctx, { ...first, caller: ann }, posted(first.code, "one"));
    expect(claimed).toMatchObject({ username: "ann", owner_verified: true });
    const second = await attempt(ctx, claimed.agent_id);
    await expect(recover(ctx, second, posted(second.sentence, "two"))).rejects.toEqual(
      code("social_account_not_claimed"),
    );
    const again = await recover(ctx, second, posted(second.sentence, "one"));
    expect(again).toMatchObject({ agent_id: claimed.agent_id, username: "ann", owner_verified: true });
    expect(again.key_id).not.toBe(claimed.key_id);
    await expect(recover(ctx, second, posted(second.sentence, "one"))).rejects.toEqual(code("verification_code_used"));
  });

  test("a database failure uses up neither the code nor an attempt", async () => {
    await using db = await open();
    const ctx = testContext(db);
    await fillPool(ctx, 3);
    const earlier = await attempt(ctx);
    const { agent_id } = await redeem(ctx, earlier, posted(earlier.code, "two"));
    const [input, lost] = [await attempt(ctx), await attempt(ctx, agent_id)];
    await sql`alter table social_claims rename to social_claims_gone`.execute(db.db);
    for (let n = 0; n <= CODE_TRIES; n++) {
      await expect(redeem(ctx, input, posted(input.code, "one"))).rejects.toThrow("social_claims");
      await expect(recover(ctx, lost, posted(lost.sentence, "two"))).rejects.toThrow("social_claims");
    }
    await sql`alter table social_claims_gone rename to social_claims`.execute(db.db);
    expect(await made(ctx)).toEqual(ONE);
    expect(await redeem(ctx, input, posted(input.code, "one"))).toMatchObject({ agent_id: expect.any(Number) });
    expect(await recover(ctx, lost, posted(lost.sentence, "two"))).toMatchObject({ agent_id });
  });

  test("a code that expires while the network is asked gives no key", async () => {
    await using db = await open();
    const ctx = testContext(db);
    await fillPool(ctx, 1);
    const input = await attempt(ctx);
    const slow = async () => {
      await ctx.db
        .updateTable("verification_codes")
        .set({ expires_at: Date.now() })
        .where("issued_at", "is not", null)
        .execute();
      return posted(input.code, "one")();
    };
    await expect(redeem(ctx, input, slow)).rejects.toEqual(code("verification_code_expired"));
    expect(await made(ctx)).toMatchObject({ agents: 0, users: 0 });
  });
});
