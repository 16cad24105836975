import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AppContext } from "../../src/context.ts";
import { openImport } from "../../src/imports/open/open.ts";
import { undoImport } from "../../src/imports/undo/undo.ts";
import { writeImport } from "../../src/imports/write/write.ts";
import { cli } from "../support/cli.ts";
import { temporaryFolder } from "../support/config.ts";
import { openMigratedPlace, SERVER_DATABASES } from "../support/databases.ts";
import { writeExportZip } from "../support/imports/export-files.ts";
import { memoryStage, sourceChannel, sourceMessage, sourceUser } from "../support/imports/memory-stage.ts";
import { sampleExport } from "../support/imports/slack-export.ts";
import { newChannel } from "../support/new-channel.ts";
import { startTestServer } from "../support/servers/test-server.ts";

const STAGE = memoryStage({
  users: [sourceUser("Ines"), sourceUser("Bot", { kind: "bot", name: "helper" })],
  channels: [sourceChannel("C1", { name: "harbour", memberIds: ["Ines"] })],
  messages: [sourceMessage("m1", { senderId: "Ines" })],
});
const SLACK = { format: "slack", fingerprint: "f1" } as const;

/** Starts a server, with what the command line needs to work on its database. */
async function started(name: string) {
  const place = name === "postgres" ? await openMigratedPlace() : undefined;
  const database = place === undefined ? {} : { database: { kind: "postgres", url: place.url } as const };
  const server = await startTestServer({ rateLimits: "off", ...database });
  const env = {
    PARLEY_DATA_DIR: server.config.dataDir,
    ...(place === undefined ? {} : { DATABASE_URL: place.url }),
  };
  const stop = async () => {
    await server[Symbol.asyncDispose]();
    await place?.[Symbol.asyncDispose]();
  };
  return { server, ctx: server.ctx, run: (...args: string[]) => cli(args, env), [Symbol.asyncDispose]: stop };
}

/** Writes and opens an import, and returns its number and the ids of its person and agent. */
async function imported(ctx: AppContext) {
  const { importId } = await writeImport(ctx, STAGE, SLACK);
  await openImport(ctx, importId);
  const ines = await idOf(ctx, "ines");
  const item = ctx.db.selectFrom("import_items").select("parley_id").where("kind", "=", "agent");
  return { importId, ines, agent: (await item.executeTakeFirstOrThrow()).parley_id };
}

const idOf = async ({ db }: AppContext, username: string): Promise<number> =>
  (await db.selectFrom("users").select("id").where("username", "=", username).executeTakeFirstOrThrow()).id;

const statusOf = async ({ db }: AppContext, id: number) =>
  (await db.selectFrom("imports").select("status").where("id", "=", id).executeTakeFirst())?.status;

/** Everything that an undo could hide or remove. */
async function shown({ db }: AppContext) {
  return {
    users: await db.selectFrom("users").select(["username", "erased_at"]).orderBy("id").execute(),
    channels: await db.selectFrom("channels").select(["slug", "deleted_at"]).orderBy("id").execute(),
    names: await db.selectFrom("names").selectAll().orderBy("name_key").execute(),
    messages: (await db.selectFrom("messages").select("id").execute()).length,
    items: (await db.selectFrom("import_items").select("source_id").execute()).length,
  };
}

describe.each(SERVER_DATABASES)("on %s", (name) => {
  test("an import that a later one needs is undone after it, and takes its report along", async () => {
    await using running = await started(name);
    const { ctx, run } = running;
    const zip = await writeExportZip(join(temporaryFolder(), "export.zip"), sampleExport());
    expect(await run("import", "slack", zip, "--yes")).toMatchObject({ code: 0 });
    expect(await run("import", "slack", zip, "--channels", "all", "--yes")).toMatchObject({ code: 0 });
    const before = await shown(ctx);
    const refused = await run("import", "undo", "1");
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("undo import 2 first") });
    expect(await shown(ctx)).toEqual(before);
    expect(await statusOf(ctx, 1)).toBe("done");

    // One that got stuck before this was counted ends in the same order.
    await ctx.db.updateTable("imports").set({ status: "undoing" }).where("id", "=", 1).execute();
    expect((await run("import", "undo", "1")).err).toContain("undo import 2 first");
    const folder = join(running.server.config.dataDir, "imports");
    for (const id of ["2", "1"]) {
      expect(existsSync(join(folder, id, "report.json"))).toBe(true);
      if (id === "1") await ctx.db.updateTable("imports").set({ status: "done" }).where("id", "=", 1).execute();
      expect(await run("import", "undo", id)).toMatchObject({ code: 0 });
      expect(existsSync(join(folder, id))).toBe(false);
    }
    expect(await ctx.db.selectFrom("users").select("id").execute()).toEqual([]);
  });

  test("the links of an account go with it, and its report with the import", async () => {
    await using running = await started(name);
    const { ctx, run, server } = running;
    const { importId } = await imported(ctx);
    expect(await run("user", "reset", "ines")).toMatchObject({ code: 0 });
    expect(await run("import", "links", String(importId))).toMatchObject({ code: 0 });
    const report = join(server.config.dataDir, "imports", String(importId));
    mkdirSync(report, { recursive: true });
    writeFileSync(join(report, "report.json"), "{}");
    expect(await run("import", "undo", String(importId))).toMatchObject({ code: 0 });
    expect(existsSync(report)).toBe(false);
    expect(await statusOf(ctx, importId)).toBe("undone");
    for (const table of ["users", "reset_links", "claim_links"] as const)
      expect(await ctx.db.selectFrom(table).selectAll().execute()).toEqual([]);
  });

  test("what others have begun with its people is in the way, and nothing is removed", async () => {
    await using running = await started(name);
    const { ctx, run, server } = running;
    const { importId, ines, agent } = await imported(ctx);
    const ann = await server.newUser();
    const { id: room } = await newChannel(ann);
    const now = ctx.clock.now();
    const refusedFor = async (words: string) => {
      const before = await shown(ctx);
      const { code, err } = await run("import", "undo", String(importId));
      expect([code, err]).toEqual([1, expect.stringContaining(words)]);
      expect(await shown(ctx)).toEqual(before);
      expect(await statusOf(ctx, importId)).toBe("done");
    };

    const member = { channel_id: room, user_id: ines, role: "member", joined_at: now } as const;
    await ctx.db.insertInto("channel_members").values(member).execute();
    await refusedFor("1 membership in other channels");
    await ctx.db.deleteFrom("channel_members").where("user_id", "=", ines).where("channel_id", "=", room).execute();

    await ctx.db.updateTable("channels").set({ owner_id: ines }).where("id", "=", room).execute();
    await refusedFor("own 1 channel or agent ");
    await ctx.db.updateTable("channels").set({ owner_id: null }).where("id", "=", room).execute();

    const follow = { user_id: ines, root_id: 1, channel_id: room, is_following: 1, last_read_seq: 0 };
    await ctx.db.insertInto("thread_follows").values(follow).execute();
    await refusedFor("follow 1 thread in");
    await ctx.db.deleteFrom("thread_follows").where("user_id", "=", ines).where("channel_id", "=", room).execute();

    const file = {
      user_id: ines,
      uploader_name: "ines",
      name: "a.txt",
      mime_type: "text/plain",
      kind: "text",
    } as const;
    const bytes = { sha256: "0", size_bytes: 1, status: "ready", created_at: now } as const;
    await ctx.db
      .insertInto("files")
      .values({ ...file, ...bytes })
      .execute();
    await refusedFor("have 1 file ");
    await ctx.db.deleteFrom("files").execute();

    expect((await ann.post("/api/direct", { username: "ines" })).status).toBeLessThan(300);
    await refusedFor("1 direct conversation ");
    await ctx.db.deleteFrom("direct_channels").execute();
    await ctx.db.deleteFrom("channel_members").where("user_id", "=", ines).where("channel_id", ">", room).execute();

    const issued = await run("key", "issue", "--agent", "helper", "--claim-import");
    expect(issued).toMatchObject({ code: 0 });
    await refusedFor("people have claimed 1 agent of it");
    await ctx.db.deleteFrom("api_keys").where("agent_id", "=", agent).execute();
    expect(await run("import", "undo", String(importId))).toMatchObject({ code: 0 });
  });

  test("one that is stuck ends, and an account that somebody still talks with stays hidden", async () => {
    await using running = await started(name);
    const { ctx, run, server } = running;
    const { importId, ines } = await imported(ctx);
    const ann = await server.newUser();
    const stop = () => {
      throw new Error("stopped");
    };
    await expect(undoImport(ctx, importId, stop)).rejects.toThrow("stopped");
    const { id: channel_id } = await newChannel(ann);
    const [low_user_id = 0, high_user_id = 0] = [await idOf(ctx, ann.username), ines].sort((one, two) => one - two);
    await ctx.db.insertInto("direct_channels").values({ low_user_id, high_user_id, channel_id }).execute();
    expect(await run("import", "undo", String(importId))).toMatchObject({ code: 0 });
    expect(await statusOf(ctx, importId)).toBe("undone");
    expect((await ann.get("/api/users/ines")).status).toBe(404);
    expect(await idOf(ctx, "ines")).toBe(ines);
  });

  test("no other import of a workspace is begun while one is closed", async () => {
    await using running = await started(name);
    const { ctx } = running;
    const { importId } = await writeImport(ctx, STAGE, SLACK);
    const other = { ...SLACK, fingerprint: "f2" };
    const words = `Import ${importId} is written but not open. Open it or undo it first.`;
    await expect(writeImport(ctx, STAGE, other)).rejects.toThrow(words);
    expect(await writeImport(ctx, STAGE, SLACK)).toMatchObject({ importId, status: "closed" });
    await openImport(ctx, importId);
    expect((await writeImport(ctx, STAGE, other)).importId).not.toBe(importId);
  });
});
