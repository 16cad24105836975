import { describe, expect, test } from "bun:test";
import { searchConsumer } from "../../src/search/index/message-index.ts";
import { stillClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { putMessages } from "../support/put-messages.ts";
import { type Client, startTestServer } from "../support/servers/test-server.ts";
import { auditLines, staff } from "../support/staff.ts";

/** A search shows each caller what they can read, and nothing else. */
eachDatabase(async (_name, open) => {
  /** Everybody in the tests, by their role. */
  const callers: Record<string, Client> = {};
  const rooms: number[] = [];

  async function room(body: Record<string, unknown>): Promise<number> {
    const { status, body: answer } = await ann.post("/api/channels", { name: `room ${rooms.length}`, ...body });
    expect(status).toBe(201);
    rooms.push(answer.channel_id);
    await ann.post("/api/messages", { channel_id: answer.channel_id, content: `secret of ${answer.channel_id}` });
    return answer.channel_id;
  }

  // A slow search returns half a page (BUDGET_MS), and these take as long as the machine needs.
  const server = await forAllTests(
    startTestServer({ rateLimits: "off" }, { database: await open(), clock: stillClock() }),
  );
  const ann = await server.user("ann");
  Object.assign(callers, {
    guest: server.guest,
    owner: ann,
    member: await server.user("mem"),
    stranger: await server.user("eve"),
    banned: await server.user("ban"),
    moderator: await staff(server, "modest", 1),
    administrator: await staff(server, "adele", 2),
    "agent inside": await server.agent("inside"),
    "agent outside": await server.agent("outside"),
  });
  await room({});
  await room({ is_private: true });
  await room({ is_private: true, password: "open sesame" });
  const direct = await ann.post("/api/direct", { username: "mem" });
  expect([200, 201]).toContain(direct.status);
  rooms.push(direct.body.channel.id);
  await ann.post("/api/messages", {
    channel_id: direct.body.channel.id,
    content: `secret of ${direct.body.channel.id}`,
  });
  for (const id of rooms.slice(0, 3)) {
    await ann.put(`/api/channels/${id}/members/mem`, {});
    await ann.put(`/api/channels/${id}/members/inside`, {});
  }
  await ann.post(`/api/channels/${rooms[0]}/bans`, { username: "ban" });
  await searchConsumer(server.ctx).flush();

  /** Returns the channels in which this caller finds the word that occurs in all of them. */
  async function searched(caller: Client, query = ""): Promise<number[]> {
    const { status, body } = await caller.get(`/api/search/messages?q=secret${query}`);
    expect(status).toBe(200);
    const texts: string[] = body.messages.map(({ content }: { content: string }) => content);
    expect(texts).toEqual(body.messages.map(({ channel_id }: { channel_id: number }) => `secret of ${channel_id}`));
    return body.messages
      .map(({ channel_id }: { channel_id: number }) => channel_id)
      .toSorted((a: number, b: number) => a - b);
  }

  /** Returns the channels whose history the caller can read, without an administrator's extra access. */
  async function readable(name: string, caller: Client): Promise<number[]> {
    const ids: number[] = [];
    const hidden = await server.ctx.db.selectFrom("channels").select("id").where("is_private", "=", 1).execute();
    for (const id of rooms) {
      if (name === "administrator" && hidden.some((channel) => channel.id === id)) continue;
      if ((await caller.get(`/api/messages?channel_id=${id}`)).status === 200) ids.push(id);
    }
    return ids.toSorted((a, b) => a - b);
  }

  describe("a search without a channel", () => {
    test("finds what each kind of caller can read", async () => {
      const [open, hidden, locked, direct] = rooms;
      const all = Object.fromEntries(
        await Promise.all(Object.entries(callers).map(async ([name, who]) => [name, await searched(who)])),
      );
      expect(all).toEqual({
        guest: [open],
        owner: [open, hidden, locked, direct],
        member: [open, hidden, locked, direct],
        stranger: [open],
        banned: [open],
        moderator: [open],
        administrator: [open],
        "agent inside": [open, hidden, locked],
        "agent outside": [open],
      });
      for (const [name, who] of Object.entries(callers))
        expect([name, all[name]]).toEqual([name, await readable(name, who)]);
    });

    test("follows every change of rights at once", async () => {
      const id = await room({});
      await searchConsumer(server.ctx).flush();
      const steps: (() => Promise<unknown>)[] = [
        () => ann.put(`/api/channels/${id}`, { is_private: true }),
        () => ann.put(`/api/channels/${id}/members/eve`, {}),
        () => ann.put(`/api/channels/${id}/members/outside`, {}),
        () => ann.delete(`/api/channels/${id}/members/eve`),
        () => ann.delete(`/api/channels/${id}/members/outside`),
        () => ann.put(`/api/channels/${id}`, { password: "open sesame" }),
        () => ann.put(`/api/channels/${id}`, { password: null, is_private: false }),
        () => ann.delete(`/api/channels/${id}`),
      ];
      const seen: string[] = [];
      for (const step of steps) {
        await step();
        for (const [name, who] of Object.entries(callers)) {
          const found = await searched(who);
          expect([name, found]).toEqual([name, await readable(name, who)]);
          if (found.includes(id)) seen.push(name);
        }
      }
      expect(new Set(seen).size).toBe(Object.keys(callers).length);
      rooms.pop();
    });

    test("finds the few channels a caller can read among many they cannot", async () => {
      const general = (await ann.get("/api/channels")).body.channels[0];
      const hidden = await server.ctx.db
        .insertInto("channels")
        .values({
          ...(await server.ctx.db
            .selectFrom("channels")
            .selectAll()
            .where("id", "=", general.id)
            .executeTakeFirstOrThrow()),
          id: 900,
          slug: "vault",
          is_private: 1,
          last_seq: 0,
        })
        .returning("id")
        .executeTakeFirstOrThrow();
      await putMessages(
        server.ctx,
        Array.from({ length: 900 }, (_, i) => ({ channel_id: hidden.id, seq: i + 1, content: "secret of the vault" })),
      );
      await server.ctx.db.updateTable("channels").set({ last_seq: 900 }).where("id", "=", hidden.id).execute();
      await searchConsumer(server.ctx).flush();
      expect(await searched(callers.stranger ?? ann)).toEqual(await readable("stranger", callers.stranger ?? ann));
      const vault = await callers.administrator?.get(`/api/search/messages?q=secret&channel_id=${hidden.id}&limit=200`);
      expect(vault?.body.messages.length).toBe(200);
    });
  });

  describe("a search in a channel", () => {
    test("gives the same refusals as reading the channel", async () => {
      for (const [name, who] of Object.entries(callers)) {
        for (const id of rooms) {
          const read = await who.get(`/api/messages?channel_id=${id}`);
          const found = await who.get(`/api/search/messages?q=secret&channel_id=${id}`);
          expect([name, id, found.status, found.body.code]).toEqual([name, id, read.status, read.body.code]);
          if (found.status === 200)
            expect(found.body.messages.map(({ channel_id }: { channel_id: number }) => channel_id)).toEqual([id]);
        }
      }
      expectError(
        await server.guest.get(`/api/search/messages?q=secret&channel_id=${rooms[1]}`),
        404,
        "channel_not_found",
      );
      expectError(
        await server.guest.get(`/api/search/messages?q=secret&channel_id=${rooms[2]}`),
        403,
        "password_required",
      );
    });

    test("by an administrator in a private channel is audited", async () => {
      const boss = await staff(server, "bossy", 2);
      const id = rooms[1];
      await searched(boss);
      expect((await auditLines(server)).filter((line) => line.startsWith("bossy"))).toEqual([]);
      expect(await searched(boss, `&channel_id=${id}`)).toEqual([id ?? 0]);
      expect((await auditLines(server)).filter((line) => line.startsWith("bossy"))).toEqual([
        `bossy channel_read channel:${id}`,
      ]);
    });
  });
});

test("a banned user can search no more than a guest on a server without guest reading", async () => {
  await using server = await startTestServer({ guestRead: false });
  const ann = await server.user("ann");
  const ban = await server.user("ban");
  const { body } = await ann.post("/api/channels", { name: "club" });
  await ann.post("/api/messages", { channel_id: body.channel_id, content: "secret" });
  await searchConsumer(server.ctx).flush();
  expect((await ban.get("/api/search/messages?q=secret")).body.messages.length).toBe(1);
  await ann.post(`/api/channels/${body.channel_id}/bans`, { username: "ban" });
  expect((await ban.get("/api/search/messages?q=secret")).body.messages).toEqual([]);
  expectError(await ban.get(`/api/search/messages?q=secret&channel_id=${body.channel_id}`), 403, "banned");
});
