import { expect, test } from "bun:test";
import { openImport } from "../../src/imports/open/open.ts";
import { tooOldFor } from "../../src/imports/retention.ts";
import { writeImport } from "../../src/imports/write/write.ts";
import { testContext } from "../support/context.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import {
  manyMessages,
  memoryStage,
  sourceChannel,
  sourceMessage,
  sourceUser,
} from "../support/imports/memory-stage.ts";
import { startTestServer } from "../support/servers/test-server.ts";

interface Listed {
  id: number;
  name: string;
  channel_slug: string;
  is_private: boolean;
  direct_with: string | null;
  owner_username: string;
  post_policy: string;
}

eachDatabase(async (_, open) => {
  const database = await open();
  const server = await forAllTests(startTestServer({ rateLimits: "off" }, { database }));
  const { ctx } = server;

  test("private things are read by exactly the members of the source", async () => {
    const [ann, bob, eve] = [await server.user("ann"), await server.user("bob"), await server.user("eve")];
    const ids = new Map(
      (await ctx.db.selectFrom("users").select(["id", "username"]).execute()).map(({ id, username }) => [username, id]),
    );
    // The two talk in Parley already.
    expect((await ann.post("/api/direct", { username: "bob" })).status).toBeLessThan(300);
    const use = (name: string) => ({ action: "use", userId: ids.get(name) ?? 0 }) as const;
    const stage = memoryStage({
      users: ["A", "B", "E"]
        .map((id) => sourceUser(id, { displayName: id }))
        .concat(sourceUser("XX", { isGone: true })),
      channels: [
        sourceChannel("P", {
          kind: "private",
          name: "plans",
          memberIds: ["A", "XX"],
          creatorId: "XX",
          isArchived: true,
        }),
        sourceChannel("D1", { kind: "direct", name: "", memberIds: ["A", "B"] }),
        sourceChannel("D2", { kind: "direct", name: "", memberIds: ["A", "E"] }),
        sourceChannel("D3", { kind: "direct", name: "", memberIds: ["A"] }),
        sourceChannel("G", { kind: "group", name: "", memberIds: ["A", "B", "XX"] }),
        sourceChannel("GEN", { name: "general" }),
      ],
      messages: ["P", "D1", "D2", "D3", "G", "GEN"].map((channelId, nth) =>
        sourceMessage(channelId, { channelId, senderId: "A", at: Date.UTC(2018, 1, 1) + nth }),
      ),
    });
    const people = new Map([
      ["A", use("ann")],
      ["B", use("bob")],
      ["E", use("eve")],
    ]);
    const { importId, counts } = await writeImport(ctx, stage, { format: "slack", fingerprint: "f", people });
    expect(counts).toMatchObject({ users: { taken: 1, known: 3 }, channels: { taken: 5, left_out: 1 } });
    await openImport(ctx, importId);

    const listOf = async (who: typeof ann): Promise<Listed[]> => (await who.get("/api/channels")).body.channels;
    const namesOf = async (who: typeof ann) => (await listOf(who)).map(({ name }) => name).toSorted();
    // The second conversation of ann and bob is a private channel of the two.
    expect(await namesOf(ann)).toEqual(
      ["A, B", "A, B, xx", "A, E", "ann, bob", "general", "general", "plans"].toSorted(),
    );
    expect(await namesOf(bob)).toEqual(["A, B", "A, B, xx", "ann, bob", "general", "general"].toSorted());
    expect(await namesOf(eve)).toEqual(["A, E", "general", "general"]);
    const all = await listOf(ann);
    const named = (name: string) => all.find((channel) => channel.name === name);
    expect(named("plans")).toMatchObject({ is_private: true, owner_username: "ann", post_policy: "admins" });
    expect(named("A, B")).toMatchObject({ is_private: true, direct_with: null, owner_username: "system" });
    expect(named("A, E")).toMatchObject({ direct_with: "eve" });
    expect(all.map(({ channel_slug }) => channel_slug)).toContain("general-2");
    for (const { id, name } of all.filter((channel) => channel.is_private)) {
      const mayRead = (await namesOf(eve)).includes(name);
      const answer = await eve.get(`/api/messages?channel_id=${id}`);
      expect([name, answer.status === 200]).toEqual([name, mayRead]);
    }
    const again = await eve.post("/api/direct", { username: "ann" });
    expect(again.body.channel.id).toBe(named("A, E")?.id);
  });

  test("names that are taken get numbers, and nobody becomes somebody who is there", async () => {
    await server.user("Zed");
    const stage = memoryStage({
      users: [sourceUser("1", { name: "zed", email: "zed@example.org" }), sourceUser("2", { name: "Ann" })],
      channels: [sourceChannel("C", { memberIds: ["1", "2"] })],
      messages: [],
    });
    const workspace = { id: "T2", name: "Other" };
    await writeImport(ctx, { ...stage, workspace }, { format: "slack", fingerprint: "g" });
    const names = await ctx.db.selectFrom("users").select("username").orderBy("id", "desc").limit(2).execute();
    expect(names.map(({ username }) => username)).toEqual(["Ann-2", "zed-2"]);
    expect(
      (await server.guest.post("/api/auth/register", { username: "zed-2", password: "correct horse" })).status,
    ).toBe(409);
  });

  test("the messages that the limit of age would remove are counted before", () => {
    const stage = memoryStage(manyMessages(1_000));
    expect(tooOldFor(ctx, stage)).toBe(0);
    const now = Date.UTC(2015, 0, 2) + 400_000 + 86_400_000;
    const clock = { ...ctx.clock, now: () => now };
    expect(tooOldFor(testContext(database, { clock, config: { retentionDays: 1 } }), stage)).toBe(401); // one that is exactly a day old goes, too
  });
});
