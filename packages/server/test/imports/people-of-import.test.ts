import { expect, test } from "bun:test";
import { openImport } from "../../src/imports/open/open.ts";
import { claimImportedAgent } from "../../src/imports/people/imported-agents.ts";
import { undoImport } from "../../src/imports/undo/undo.ts";
import { writeImport } from "../../src/imports/write/write.ts";
import { eraseAll } from "../../src/privacy/erasing.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { memoryStage, sourceChannel, sourceMessage, sourceUser } from "../support/imports/memory-stage.ts";
import { linksOf } from "../support/imports/people.ts";
import { Client, logIn, PASSWORD, startTestServer } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";

const DAY = Date.UTC(2015, 4, 6);

/** The people whom an import makes, from the writing to their first login (protocol §14.5). */
eachDatabase(async (_, open) => {
  let count = 0;
  const server = await forAllTests(startTestServer({ rateLimits: "off" }, { database: await open() }));
  const { ctx, guest } = server;
  const ruth = await staff(server, "ruth", 2);

  /** Writes an import of a workspace of its own. The names of its people end with the number of the workspace. */
  async function written() {
    const n = ++count;
    const workspace = { id: `T${n}`, name: `Team ${n}` };
    const stage = memoryStage({
      users: [
        sourceUser("U1", { name: `zoe${n}`, displayName: `Zoë Quint ${n}`, email: `zoe${n}@example.org` }),
        sourceUser("U2", { name: `bo${n}` }),
        sourceUser("U3", { name: `left${n}`, isGone: true }),
        sourceUser("B1", { name: `bot${n}`, kind: "bot" }),
      ],
      channels: [sourceChannel("C1", { name: `talk${n}`, creatorId: "U1", memberIds: ["U1", "U2"] })],
      messages: [
        sourceMessage("m1", { at: DAY, text: "hello" }),
        sourceMessage("m2", { at: DAY + 1, senderId: "U2", text: "hi" }),
      ],
    });
    const { importId } = await writeImport(ctx, { ...stage, workspace }, { format: "slack", fingerprint: `f${n}` });
    return { n, importId, workspace };
  }
  const claim = (token = "") => guest.post("/api/auth/account-claim/password", { token, password: PASSWORD });

  test("everybody who was active can claim their account when the import is open, and keeps what they wrote", async () => {
    const { n, importId } = await written();
    await expect(linksOf(ctx, importId)).rejects.toThrow("not open");
    expect((await ruth.get(`/api/admin/imports?import_id=${importId}`)).body.unclaimed).toEqual([]);
    await openImport(ctx, importId);
    const links = await linksOf(ctx, importId);
    expect([...links.keys()]).toEqual([`zoe${n}`, `bo${n}`]);
    const { unclaimed, imports } = (await ruth.get(`/api/admin/imports?import_id=${importId}`)).body;
    expect(unclaimed).toMatchObject([
      { username: `zoe${n}`, display_name: `Zoë Quint ${n}`, email: `zoe${n}@example.org`, suspended: false },
      { username: `bo${n}`, suspended: false },
      { username: `left${n}`, suspended: true },
    ]);
    expect(imports[0]).toMatchObject({ import_id: importId, status: "done", claimed: 0, unclaimed: 3 });
    expect((await claim(links.get(`zoe${n}`))).status).toBe(200);
    const zoe = await logIn(server.url, `zoe${n}`);
    const { messages } = (await zoe.get(`/api/messages?channel_slug=talk${n}`)).body;
    expect(messages.map(({ username }: { username: string }) => username)).toEqual([`zoe${n}`, `bo${n}`]);
    const { channels } = (await zoe.get("/api/channels")).body;
    const own = channels.filter(({ my_role }: { my_role: string | null }) => my_role !== null);
    expect(own.map(({ channel_slug }: { channel_slug: string }) => channel_slug).sort()).toEqual([
      "general",
      `talk${n}`,
    ]);
  });

  test("a claimed account is in the way of an undo, and an undo ends the links of the others", async () => {
    const { n, importId } = await written();
    await openImport(ctx, importId);
    const links = await linksOf(ctx, importId);
    const other = await written();
    await openImport(ctx, other.importId);
    const unused = (await linksOf(ctx, other.importId)).get(`zoe${other.n}`);
    expect((await claim(links.get(`zoe${n}`))).status).toBe(200);
    await expect(undoImport(ctx, importId)).rejects.toThrow("people have claimed or deleted 1 account of it");
    expect((await ruth.get(`/api/user/bo${n}`)).body.claimed).toBe(false);
    await undoImport(ctx, other.importId);
    expect((await claim(unused)).body.code).toBe("claim_link_expired");
    const left = ctx.db.selectFrom("claimable_accounts").select("user_id").where("import_id", "=", other.importId);
    expect(await left.execute()).toEqual([]);
  });

  test("somebody who is erased before they came stays away from later exports, under no name", async () => {
    const { n, importId, workspace } = await written();
    await openImport(ctx, importId);
    expect((await ruth.delete(`/api/user/bo${n}`, { body: { password: PASSWORD } })).status).toBe(200);
    await eraseAll(ctx);
    const items = ctx.db.selectFrom("import_items").select("source_id").where("import_id", "=", importId);
    const kept = (await items.where("kind", "=", "user").execute()).map(({ source_id }) => source_id);
    expect(kept).not.toContain("U2");
    expect(kept).toHaveLength(3);
    const again = memoryStage({
      users: [sourceUser("U2", { name: `bo${n}` }), sourceUser("U4", { name: `new${n}` })],
      channels: [sourceChannel("C9", { name: `later${n}`, memberIds: ["U2", "U4"] })],
      messages: [sourceMessage("m9", { channelId: "C9", senderId: "U2", at: DAY + 9, text: "back again" })],
    });
    const later = await writeImport(ctx, { ...again, workspace }, { format: "slack", fingerprint: `later${n}` });
    await openImport(ctx, later.importId);
    expect([...(await linksOf(ctx, later.importId)).keys()]).toEqual([`new${n}`]);
    expect((await ruth.get(`/api/user/bo${n}`)).status).toBe(404);
  });

  test("an agent of an import is paused without a key, until it gets its first one", async () => {
    const { n, importId } = await written();
    const input = { agentName: `bot${n}`, grant: {} };
    expect(await claimImportedAgent(ctx, input)).toBe("unknown");
    await openImport(ctx, importId);
    const issued = await claimImportedAgent(ctx, input);
    if (typeof issued === "string") throw new Error(issued);
    const bot = new Client(server.url, { authorization: `Bearer ${issued.api_key}` });
    const sent = await bot.post("/api/agenthub/send", {
      agent_name: `bot${n}`,
      channel_slug: "general",
      message: "up",
    });
    expect(sent.status).toBe(201);
    expect(await claimImportedAgent(ctx, input)).toBe("has keys");
  });
});
