import { expect, test } from "bun:test";
import { sql } from "kysely";
import { transact } from "../../src/db/transact.ts";
import { advanceChannel } from "../../src/event-log/rows.ts";
import { endDueInteractions } from "../../src/messages/cards/expire.ts";
import { eraseMessages } from "../../src/messages/erase.ts";
import { notificationsConsumer } from "../../src/notifications/start.ts";
import { expirePass } from "../../src/retention/expired.ts";
import { asked, pressCard } from "../support/cards.ts";
import { datedClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { type Client, eventually, PASSWORD, startTestServer } from "../support/servers/test-server.ts";

/** Questions whose channel, message or agent goes, and notifications of cards (protocol §12.6, §13.5). */
eachDatabase(async (name, open) => {
  const clock = datedClock();
  const server = await forAllTests(startTestServer({ rateLimits: "off" }, { database: await open(), clock }));
  const [ann, agent] = [await server.user("ann"), await server.agent("Shipper")];

  const ended = async (id: number) => {
    await endDueInteractions(server.ctx);
    const { interaction, receipt } = (await agent.get(`/api/interactions/${id}`)).body;
    const items = (await agent.get("/api/agenthub/inbox?kinds=decision&limit=200")).body.items.filter(
      (item: { interaction: { interaction_id: number } }) => item.interaction.interaction_id === id,
    );
    return [interaction.status, items.length, JSON.parse(receipt.signed).status];
  };

  test("a question of a channel that is deleted is cancelled, and its agent learns of it", async () => {
    const { channel_id, channel } = (await ann.post("/api/channels", { name: "Launch pad" })).body;
    const { interaction_id: id } = await asked(agent, { channel_slug: channel?.channel_slug ?? "launch-pad" });
    expect((await ann.delete(`/api/channels/${channel_id}`)).status).toBe(200);
    expect((await pressCard(ann, id, "approve")).body.code).toBe("interaction_not_found");
    expect(await ended(id)).toEqual(["cancelled", 1, "cancelled"]);
  });

  test("an agent cancels its question of a deleted channel", async () => {
    const room = await newChannel(ann);
    const { interaction_id: id } = await asked(agent, { channel_slug: room.slug });
    expect((await ann.delete(`/api/channels/${room.id}`)).status).toBe(200);
    const { status, body } = await agent.post(`/api/interactions/${id}/cancel`);
    expect([status, body.interaction?.status]).toEqual([200, "cancelled"]);
    expect(await ended(id)).toEqual(["cancelled", 1, "cancelled"]);
  });

  if (name === "postgres")
    test("the question of a deleted channel ends once, although no channel's row locks it", async () => {
      const room = await newChannel(ann);
      const { interaction_id: id } = await asked(agent, { channel_slug: room.slug });
      expect((await ann.delete(`/api/channels/${room.id}`)).status).toBe(200);
      const { db } = server.ctx;
      const both: Promise<unknown>[] = [];
      await db.transaction().execute(async (trx) => {
        // Both have read the question before either changes it.
        await trx.updateTable("interactions").set({ quorum: 1 }).where("message_id", "=", id).execute();
        const cancel = () => agent.post(`/api/interactions/${id}/cancel`);
        both.push(cancel(), cancel());
        await eventually("both wait for the row", async () => {
          const waiting = await sql<{ n: string }>`select count(*) as n from pg_locks where not granted`.execute(db);
          return Number(waiting.rows[0]?.n) >= 2;
        });
      });
      await Promise.all(both);
      expect(await ended(id)).toEqual(["cancelled", 1, "cancelled"]);
    });

  test("a question whose message disappears for good is cancelled, and stays readable for its agent", async () => {
    const sent = await agent.post("/api/agenthub/send", {
      channel_slug: "general",
      message: "Now?",
      expires_in: 60,
      components: [{ type: "row", elements: [{ type: "button", action_id: "ok", label: "OK" }] }],
      interaction: { kind: "choice", who: { users: ["ann"] } },
    });
    await ann.post("/api/messages", { channel_slug: "general", content: "The newest message keeps its row." });
    clock.ahead += 61_000;
    await expirePass(server.ctx);
    expect(await ended(sent.body.message_id)).toEqual(["cancelled", 1, "cancelled"]);
    expect((await pressCard(ann, sent.body.message_id, "ok")).body.code).toBe("interaction_closed");
  });

  test("the questions of an agent are cancelled when its verified owner's account is erased", async () => {
    const owner = await server.user("olga");
    const { ctx } = server;
    const { id } = await ctx.db
      .selectFrom("users")
      .select("id")
      .where("username", "=", "olga")
      .executeTakeFirstOrThrow();
    const other = await server.agent("Olgas");
    await ctx.db
      .updateTable("agents")
      .set({ owner_user_id: id, owner_verified: 1 })
      .where("id", "=", other.agentId)
      .execute();
    const { interaction_id } = await asked(other);
    expect((await owner.delete("/api/user/olga", { body: { password: PASSWORD } })).status).toBe(200);
    await endDueInteractions(ctx);
    const { interaction } = (await ann.get(`/api/interactions/${interaction_id}`)).body;
    expect(interaction.status).toBe("cancelled");
  });

  test("those who are asked are notified, and a card for every member calls nobody", async () => {
    await asked(agent, {
      interaction: { kind: "choice", who: { roles: ["member"] } },
      components: [{ type: "row", elements: [{ type: "button", action_id: "ok", label: "OK" }] }],
    });
    const { message_id } = await asked(agent, { message: "Deploy **2.5**?" });
    await notificationsConsumer(server.ctx).flush();
    const { notifications } = (await ann.get("/api/notifications")).body;
    const cards = notifications.filter(({ kind }: { kind: string }) => kind === "card");
    expect(cards[0]).toMatchObject({ message_id, text: "Deploy 2.5?", from: { kind: "agent", name: "PlatformAgent" } });
    const unread = async () => (await ann.get("/api/notifications?unread=true")).body.notifications;
    const isMine = (entry: { message_id: number }) => entry.message_id === message_id;
    expect((await unread()).some(isMine)).toBe(true);
    // A card waits until it is answered, whatever was read.
    const waiting = async () => (await ann.get("/api/notifications?waiting=true")).body.notifications;
    await ann.post("/api/notifications/read", { up_to_id: cards[0].notification_id });
    expect((await unread()).some(isMine)).toBe(false);
    expect((await waiting()).some(isMine)).toBe(true);
    expect((await waiting()).every(({ kind }: { kind: string }) => kind === "card")).toBe(true);
    await pressCard(ann, message_id, "deny");
    await notificationsConsumer(server.ctx).flush();
    expect((await unread()).some(isMine)).toBe(false);
    expect((await waiting()).some(isMine)).toBe(false);
    const all = await server.ctx.db
      .selectFrom("notifications")
      .select("message_id")
      .where("kind", "=", "card")
      .execute();
    expect(all.map((row) => row.message_id)).toContain(message_id);
    expect(all.map((row) => row.message_id)).not.toContain(message_id - 1);
  });

  test("a card for admins notifies the channel's owner and admins, and one for the owner only them", async () => {
    const room = await newChannel(ann);
    const [chief, member] = [await server.user("chief"), await server.user("member")];
    for (const person of [chief, member, agent]) await person.post(`/api/channels/${room.id}/join`);
    expect((await ann.put(`/api/channels/${room.id}/members/chief`, { role: "admin" })).status).toBe(200);
    const ask = (role: string) => asked(agent, { channel_slug: room.slug, interaction: { who: { roles: [role] } } });
    const [ofAdmins, ofOwner] = [await ask("admin"), await ask("owner")];
    await notificationsConsumer(server.ctx).flush();
    const told = async (person: Client, { message_id }: { message_id: number }) => {
      const { notifications } = (await person.get("/api/notifications")).body;
      return notifications.some((entry: { message_id: number }) => entry.message_id === message_id);
    };
    const people = [ann, chief, member];
    expect(await Promise.all(people.map((person) => told(person, ofAdmins)))).toEqual([true, true, false]);
    expect(await Promise.all(people.map((person) => told(person, ofOwner)))).toEqual([true, false, false]);
  });

  if (name === "postgres")
    test("an erasure keeps what a press changes meanwhile on the card", async () => {
      const eve = await server.user("eve");
      await eve.post("/api/messages", { channel_slug: "general", content: "hi" });
      const { interaction_id: id } = await asked(agent, { interaction: { who: { users: ["ann", "eve"] } } });
      const { ctx } = server;
      const user = await ctx.db
        .selectFrom("users")
        .select(["id", "username"])
        .where("username", "=", "eve")
        .executeTakeFirstOrThrow();
      const row = ctx.db.selectFrom("messages").select(["channel_id", "card"]).where("id", "=", id);
      const { channel_id, card } = await row.executeTakeFirstOrThrow();
      const erasing: Promise<unknown>[] = [];
      await ctx.db.transaction().execute(async (trx) => {
        // As a press does.
        await advanceChannel(trx, channel_id, 0, 0);
        const decided = card?.replace('"status":"open"', '"status":"decided"');
        await trx.updateTable("messages").set({ card: decided }).where("id", "=", id).execute();
        const erased = { userId: user.id, username: user.username };
        erasing.push(transact(ctx, (ctx) => eraseMessages(ctx, erased, { a: id - 1, b: 0 })));
        await eventually("the erasure waits", async () => {
          const waiting = await sql<{ n: string }>`select count(*) as n from pg_locks where not granted`.execute(
            ctx.db,
          );
          return Number(waiting.rows[0]?.n) >= 1;
        });
      });
      await Promise.all(erasing);
      const after = (await row.executeTakeFirstOrThrow()).card;
      expect(after).toContain('"status":"decided"');
      expect(after).not.toContain('"eve"');
    });

  test("who was removed from a private channel no longer answers there, although the card names them", async () => {
    const room = await newChannel(ann, { is_private: true, password: "open sesame" });
    const bob = await server.user("bob");
    await bob.post(`/api/channels/${room.id}/join`, { password: "open sesame" });
    await agent.post(`/api/channels/${room.id}/join`, { password: "open sesame" });
    const { interaction_id: id } = await asked(agent, {
      channel_slug: room.slug,
      interaction: { who: { users: ["bob"] } },
    });
    expect((await bob.get(`/api/interactions/${id}`)).status).toBe(200);
    // Another node removes Bob, and this one has not heard of it yet.
    const bobs = server.ctx.db.selectFrom("users").select("id").where("username", "=", "bob");
    await server.ctx.db
      .deleteFrom("channel_members")
      .where("channel_id", "=", room.id)
      .where("user_id", "=", bobs)
      .execute();
    expect((await pressCard(bob, id, "approve")).body.code).toBe("not_allowed_to_answer");
  });
});
