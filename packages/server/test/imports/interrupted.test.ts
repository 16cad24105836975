import { describe, expect, test } from "bun:test";
import type { Kysely } from "kysely";
import type { AppContext } from "../../src/context.ts";
import type { Tables } from "../../src/db/tables/tables.ts";
import { openImport } from "../../src/imports/open/open.ts";
import { undoImport } from "../../src/imports/undo/undo.ts";
import { writeImport } from "../../src/imports/write/write.ts";
import { MODULES } from "../../src/modules.ts";
import { testContext } from "../support/context.ts";
import { type BackendName, eachDatabase, type OpenFresh } from "../support/databases.ts";
import { Random } from "../support/faults/random.ts";
import { manyMessages, memoryStage } from "../support/imports/memory-stage.ts";

const SLACK = { format: "slack", fingerprint: "f1" } as const;
const COUNT = 1_500;
/** Imports with drawn interruptions. PostgreSQL takes a second to empty a schema for the next one. */
const DRAWN: Record<BackendName, number> = { sqlite: 12, postgres: 3, pglite: 0 };

class Killed extends Error {}

/**
 * Everything of an import that does not depend on chance or the time. Ids are counted from the first one: PostgreSQL
 * leaves gaps where a transaction was rolled back.
 */
async function takenIn({ db }: { db: Kysely<Tables> }) {
  const rows = async (table: keyof Tables, ...columns: string[]) => {
    let query = db.selectFrom(table).selectAll();
    for (const column of columns) query = query.orderBy(column as "id");
    return (await query.execute()) as Record<string, unknown>[];
  };
  const channels = await db.selectFrom("channels").select(["id", "slug", "last_seq"]).orderBy("id").execute();
  const users = await db.selectFrom("users").select(["id", "username"]).orderBy("id").execute();
  const slugs = new Map(channels.map(({ id, slug }) => [id, slug]));
  const names = new Map(users.map(({ id, username }) => [id, username]));
  const messages = await rows("messages", "id");
  const first = Number(messages[0]?.id);
  const idOf = (id: unknown) => (id === null ? null : Number(id) - first);
  const kinds: Record<string, (id: number) => unknown> = {
    message: idOf,
    channel: (id) => slugs.get(id),
    user: (id) => names.get(id),
  };
  const normal = (row: Record<string, unknown>): Record<string, unknown> => ({
    ...row,
    ...("thread_root_id" in row ? { id: idOf(row.id), thread_root_id: idOf(row.thread_root_id) } : {}),
    ...("message_id" in row ? { message_id: idOf(row.message_id) } : {}),
    ...("root_id" in row ? { root_id: idOf(row.root_id) } : {}),
    ...("channel_id" in row ? { channel_id: slugs.get(Number(row.channel_id)) } : {}),
    ...("user_id" in row ? { user_id: names.get(Number(row.user_id)) } : {}),
    ...("actor_id" in row ? { actor_id: names.get(Number(row.actor_id)) } : {}),
    ...("parley_id" in row ? { parley_id: kinds[String(row.kind)]?.(Number(row.parley_id)), import_id: 0 } : {}),
  });
  return {
    messages: messages.map(normal),
    reactions: (await rows("reactions", "message_id", "actor_id", "reaction")).map(normal),
    follows: (await rows("thread_follows", "root_id", "user_id")).map(normal),
    items: (await rows("import_items", "kind", "source_id")).map(normal),
    members: (await rows("channel_members", "channel_id", "user_id")).length,
    channels: channels.map(({ slug, last_seq }) => ({ slug, last_seq })),
    users: [...names.values()],
    counts: await db.selectFrom("imports").select(["status", "place", "counts"]).execute(),
  };
}

const opened = async (open: OpenFresh) => {
  const database = await open();
  const ctx = testContext(database);
  for (const module of MODULES) module.register?.(ctx, MODULES);
  return Object.assign(ctx, { [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() });
};

/** Returns a context in which the statement of this number throws, as if the process had been killed there. */
function killedAt(ctx: AppContext, statement: number): AppContext {
  let left = statement;
  const db = ctx.db.withPlugin({
    transformQuery({ node }) {
      left -= 1;
      if (left === 0) throw new Killed();
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return Object.create(ctx, { db: { value: db, writable: true } }) as AppContext;
}

eachDatabase((name, open) => {
  const stage = memoryStage(manyMessages(COUNT));

  describe("an import that is killed", () => {
    test("after any commit goes on there, and takes nothing twice", async () => {
      await using whole = await opened(open);
      await writeImport(whole, stage, SLACK);
      const expected = await takenIn(whole);
      expect(expected.messages).toHaveLength(COUNT);
      await using ctx = await opened(open);
      for (let kills = 0; ; kills += 1) {
        const progress = () => {
          throw new Killed();
        };
        const error = await writeImport(ctx, stage, { ...SLACK, progress }).then(() => null, String);
        if (error === null) break;
        expect(error).toContain("Error");
        expect(kills).toBeLessThan(20);
      }
      expect(await takenIn(ctx)).toEqual(expected);
    });

    test("at a drawn statement goes on, and takes nothing twice", async () => {
      await using whole = await opened(open);
      await writeImport(whole, stage, SLACK);
      const expected = await takenIn(whole);
      const random = new Random(47);
      for (let round = 0; round < DRAWN[name]; round += 1) {
        await using ctx = await opened(open);
        for (let tries = 0; tries < 5; tries += 1) {
          const killed = killedAt(ctx, 1 + random.below(60));
          await writeImport(killed, stage, SLACK).catch((error: unknown) => expect(error).toBeInstanceOf(Killed));
        }
        await writeImport(ctx, stage, SLACK);
        expect(await takenIn(ctx)).toEqual(expected);
      }
    });

    test("while it is undone is undone by the next try, and leaves nothing", async () => {
      await using ctx = await opened(open);
      const tables = ["messages", "reactions", "thread_follows", "import_items", "users", "names", "agents"] as const;
      const left = async () => {
        const counts: Record<string, number> = {};
        for (const table of [...tables, "channels", "channel_members", "channel_cursors", "direct_channels"] as const)
          counts[table] = (await ctx.db.selectFrom(table).selectAll().execute()).length;
        return counts;
      };
      const before = await left();
      const { importId } = await writeImport(ctx, stage, SLACK);
      await openImport(ctx, importId);
      const highest = await highestId(ctx);
      for (let tries = 0; ; tries += 1) {
        const progress = () => {
          throw new Killed();
        };
        const error = await undoImport(ctx, importId, tries === 0 ? progress : () => {}).then(() => null, String);
        if (error === null) break;
        const shown = await ctx.db.selectFrom("channels").select("id").where("deleted_at", "is", null).execute();
        expect(shown).toHaveLength(1);
      }
      const after = await left();
      // Only the id of the newest message is kept, where the database would give it again.
      expect(await highestId(ctx)).toBe(after.messages === 0 ? 0 : highest);
      expect({ ...after, messages: 0 }).toEqual({ ...before, messages: 0 });
      expect(after.messages).toBeLessThanOrEqual(1);
      // The same export may be taken again.
      const again = await writeImport(ctx, stage, SLACK);
      expect(again.counts.messages.taken).toBe(COUNT);
      expect(await ctx.db.selectFrom("import_blocks").selectAll().execute()).toHaveLength(2);
    });
  });

  test("an import that is repeated takes nothing", async () => {
    await using ctx = await opened(open);
    const { importId } = await writeImport(ctx, stage, SLACK);
    const expected = await takenIn(ctx);
    const again = await writeImport(ctx, stage, SLACK);
    expect(again).toMatchObject({ importId, status: "closed" });
    expect(again.counts.messages).toEqual({ taken: 0, known: COUNT, changed: 0, left_out: 0 });
    expect(await takenIn(ctx)).toEqual(expected);
    await openImport(ctx, importId);
    expect((await writeImport(ctx, stage, SLACK)).counts.users).toMatchObject({ taken: 0, known: 2 });
  });
});

async function highestId({ db }: { db: Kysely<Tables> }): Promise<number> {
  const row = await db.selectFrom("messages").select("id").orderBy("id", "desc").limit(1).executeTakeFirst();
  return row?.id ?? 0;
}
