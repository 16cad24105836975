import { describe, expect, test } from "bun:test";
import { CHANNELS_PER_USER } from "@parley/protocol/limits";
import { agent, announced, code, eventsOf, user } from "../../test/support/actors.ts";
import { testContext } from "../../test/support/context.ts";
import { eachDatabase } from "../../test/support/databases.ts";
import { enterUnpaid, joinUnpaid } from "../../test/support/join.ts";
import { transact } from "../db/transact.ts";
import { GUEST } from "../http/identity.ts";
import { publishControl } from "../realtime/control/control.ts";
import { readableChannel, writableChannel } from "./access/access.ts";
import { agentAdded, findChannel, membership } from "./channel-cache.ts";
import { visibleChannels } from "./channel-list.ts";
import { leaveChannel } from "./members/join.service.ts";
import { membersOf, removeMember, updateMembership } from "./members/members.service.ts";
import { createChannel, deleteChannel, updateChannel } from "./settings/settings.service.ts";

eachDatabase((_name, open) => {
  describe("the channel cache", () => {
    test("answers hits by id and by slug without a promise, and ignores uncommitted changes", async () => {
      await using database = await open();
      const ctx = testContext(database);
      const ann = await user(ctx, "ann");
      const { id } = await createChannel(ctx, ann, { name: "Tea" });
      const first = await findChannel(ctx, { slug: "tea" });
      expect(first).toMatchObject({ id, slug: "tea", name: "Tea", ownerUsername: "ann" });
      expect(findChannel(ctx, { slug: "tea" })).toBe(first);
      expect(findChannel(ctx, { id })).toBe(first);
      expect(await findChannel(ctx, { slug: "coffee" })).toBeNull();
      expect(await findChannel(ctx, { id: 999_999 })).toBeNull();
    });

    test("follows a rename: the old slug is free for another channel", async () => {
      await using database = await open();
      const ctx = testContext(database);
      const ann = await user(ctx, "ann");
      const { id } = await createChannel(ctx, ann, { name: "Tea" });
      await findChannel(ctx, { slug: "tea" });
      await updateChannel(ctx, ann, { id }, { channel_slug: "coffee" });
      expect(await findChannel(ctx, { slug: "tea" })).toBeNull();
      expect((await findChannel(ctx, { slug: "coffee" }))?.id).toBe(id);
      const other = await createChannel(ctx, ann, { name: "Tea" });
      expect((await findChannel(ctx, { slug: "tea" }))?.id).toBe(other.id);
    });

    test("keeps nothing of a transaction that is rolled back", async () => {
      await using database = await open();
      const ctx = testContext(database);
      const ann = await user(ctx, "ann");
      const { id } = await createChannel(ctx, ann, { name: "Tea" });
      const failing = transact(ctx, async (ctx) => {
        await updateChannel(ctx, ann, { id }, { topic: "never" });
        expect(await findChannel(ctx, { id })).toMatchObject({ topic: "never" });
        throw new Error("no");
      });
      await expect(failing).rejects.toThrow("no");
      expect(await findChannel(ctx, { id })).toMatchObject({ topic: null });
    });

    test("applies changes from other nodes", async () => {
      await using database = await open();
      const ctx = testContext(database);
      const ann = await user(ctx, "ann");
      const { id } = await createChannel(ctx, ann, { name: "Tea" });
      await findChannel(ctx, { id });
      expect(await membership(ctx, id, ann.userId)).toEqual({ role: "owner", mutedUntil: null });
      await ctx.db.updateTable("channels").set({ topic: "green" }).where("id", "=", id).execute();
      await ctx.db.updateTable("channel_members").set({ role: "admin" }).where("channel_id", "=", id).execute();
      expect(await findChannel(ctx, { id })).toMatchObject({ topic: null });
      publishControl(ctx, "channel_changed", id);
      publishControl(ctx, "membership_changed", { channelId: id, member: `u${ann.userId}` });
      expect(await findChannel(ctx, { id })).toMatchObject({ topic: "green" });
      expect((await membership(ctx, id, ann.userId))?.role).toBe("admin");
    });
  });

  describe("creating a channel", () => {
    test("gives channels of the same name different slugs, concurrently, too", async () => {
      await using database = await open();
      const ctx = testContext(database);
      const people = await Promise.all(["ann", "bob", "cid"].map((name) => user(ctx, name)));
      const made = await Promise.all(people.map((owner) => createChannel(ctx, owner, { name: "Tea & Cake" })));
      expect(made.map((channel) => channel.channel_slug).sort()).toEqual(["tea-cake", "tea-cake-2", "tea-cake-3"]);
      const [ann] = people;
      if (ann === undefined) throw new Error("nobody");
      await expect(createChannel(ctx, ann, { name: "x", channel_slug: "tea-cake-2" })).rejects.toEqual(
        code("slug_taken"),
      );
    });

    test("stops exactly at the limit, however many are requested at once", async () => {
      await using database = await open();
      const ctx = testContext(database);
      const ann = await user(ctx, "ann");
      for (let made = 0; made < CHANNELS_PER_USER - 2; made += 1) await createChannel(ctx, ann, { name: `c${made}` });
      const tries = await Promise.allSettled(
        [1, 2, 3, 4, 5].map((n) => createChannel(ctx, ann, { name: `last ${n}` })),
      );
      expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
      for (const outcome of tries)
        if (outcome.status === "rejected") expect(outcome.reason).toEqual(code("channel_limit_reached"));
      const { channels } = await visibleChannels(ctx, ann, {});
      expect(channels.filter((channel) => channel.my_role === "owner")).toHaveLength(CHANNELS_PER_USER);
    });

    test("can reuse the slug of a deleted channel and its place in the limit", async () => {
      await using database = await open();
      const ctx = testContext(database);
      const ann = await user(ctx, "ann");
      const first = await createChannel(ctx, ann, { name: "Tea" });
      await deleteChannel(ctx, ann, { id: first.id });
      expect(await findChannel(ctx, { slug: "tea" })).toBeNull();
      const second = await createChannel(ctx, ann, { name: "Tea" });
      expect(second).toMatchObject({ channel_slug: "tea", my_role: "owner" });
      expect(second.id).not.toBe(first.id);
      await expect(deleteChannel(ctx, ann, { id: first.id })).rejects.toEqual(code("channel_not_found"));
    });
  });

  describe("channel settings", () => {
    test("are published as a durable event with the record; a refused change leaves neither row nor event", async () => {
      await using database = await open();
      const ctx = testContext(database);
      const heard = announced(ctx);
      const ann = await user(ctx, "ann");
      await createChannel(ctx, ann, { name: "Cake" });
      const { id } = await createChannel(ctx, ann, { name: "Tea" });
      heard.length = 0;
      await updateChannel(ctx, ann, { id }, { topic: "green", slow_mode_seconds: 5 });
      expect(heard).toEqual([`channel_changed ${id}`]);
      await expect(updateChannel(ctx, ann, { id }, { topic: "x", channel_slug: "cake" })).rejects.toEqual(
        code("slug_taken"),
      );
      expect(heard).toHaveLength(1);
      const events = await eventsOf(ctx, id);
      expect(events).toHaveLength(1);
      expect(events[0]).toMatchObject({
        seq: 1,
        event: "channel:update",
        data: { channel: { id, topic: "green", slow_mode_seconds: 5, last_seq: 1, member_count: 1 } },
      });
      expect(events[0]?.data).not.toHaveProperty("channel.my_role");
      expect(await findChannel(ctx, { id })).toMatchObject({ topic: "green", slug: "tea" });
    });

    test("keep exactly one owner under concurrent transfers", async () => {
      await using database = await open();
      const ctx = testContext(database);
      const [ann, bob, cid] = [await user(ctx, "ann"), await user(ctx, "bob"), await user(ctx, "cid")];
      const { id } = await createChannel(ctx, ann, { name: "Tea" });
      const tries = await Promise.allSettled(
        [bob, cid].map(({ username }) => updateChannel(ctx, ann, { id }, { owner_username: username })),
      );
      expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      const { members } = await membersOf(ctx, ann, { id }, {});
      expect(members.map(({ role }) => role)).toEqual(["owner", "admin"]);
      expect((await findChannel(ctx, { id }))?.ownerUsername).toBe(members[0]?.name ?? "");
      expect(members[1]?.name).toBe("ann");
      expect([bob.username, cid.username]).toContain(members[0]?.name ?? "");
    });

    test("refuse a transfer that would exceed the new owner's limit", async () => {
      await using database = await open();
      const ctx = testContext(database);
      const [ann, bob] = [await user(ctx, "ann"), await user(ctx, "bob")];
      for (let made = 0; made < CHANNELS_PER_USER; made += 1) await createChannel(ctx, bob, { name: `c${made}` });
      const { id } = await createChannel(ctx, ann, { name: "Tea" });
      await expect(updateChannel(ctx, ann, { id }, { owner_username: "bob" })).rejects.toEqual(
        code("channel_limit_reached"),
      );
      expect(await membership(ctx, id, ann.userId)).toMatchObject({ role: "owner" });
    });
  });

  describe("channel membership", () => {
    test("begins when a user posts in a public channel, and is announced once", async () => {
      await using database = await open();
      const ctx = testContext(database);
      const [ann, bob] = [await user(ctx, "ann"), await user(ctx, "bob")];
      const { id } = await createChannel(ctx, ann, { name: "Tea" });
      expect(await membership(ctx, id, bob.userId)).toBeNull();
      const heard = announced(ctx);
      await Promise.all([writableChannel(ctx, bob, { id }), writableChannel(ctx, bob, { id })]);
      await writableChannel(ctx, bob, { id });
      expect(heard).toEqual([`membership_changed ${id}:u${bob.userId}`]);
      expect(await membership(ctx, id, bob.userId)).toEqual({ role: "member", mutedUntil: null });
    });

    test("is not needed to subscribe to a public channel, and begins with the password of a private one", async () => {
      await using database = await open();
      const ctx = testContext(database);
      const [ann, bob] = [await user(ctx, "ann"), await user(ctx, "bob")];
      const open_ = await createChannel(ctx, ann, { name: "Tea" });
      const closed = await createChannel(ctx, ann, { name: "Cake", is_private: true, password: "sesame" });
      expect(await enterUnpaid(ctx, bob, { id: open_.id }, "whatever")).toMatchObject({ role: null });
      expect(await enterUnpaid(ctx, GUEST, { slug: "tea" })).toMatchObject({ role: null });
      await expect(enterUnpaid(ctx, bob, { id: closed.id })).rejects.toEqual(code("password_required"));
      await expect(enterUnpaid(ctx, GUEST, { id: closed.id }, "sesame")).rejects.toEqual(code("password_required"));
      // `rejects` blocks the event loop, and with it the result of the hashing thread.
      const refused = await enterUnpaid(ctx, bob, { id: closed.id }, "nope").catch((error: unknown) => error);
      expect(refused).toEqual(code("wrong_password"));
      expect(await enterUnpaid(ctx, bob, { id: closed.id }, "sesame")).toMatchObject({ role: "member" });
      expect(await enterUnpaid(ctx, bob, { id: closed.id })).toMatchObject({ role: "member" });
    });

    test("lets an agent in by password or by name, and ends when it is kicked by name", async () => {
      await using database = await open();
      const ctx = testContext(database);
      const heard = announced(ctx);
      const ann = await user(ctx, "ann");
      const [scout, ranger] = [await agent(ctx, "Scout One"), await agent(ctx, "Ranger")];
      const { id } = await createChannel(ctx, ann, { name: "Tea", is_private: true, password: "sesame" });
      await expect(readableChannel(ctx, scout, { id })).rejects.toEqual(code("password_required"));
      expect(await joinUnpaid(ctx, scout, { id }, "sesame")).toMatchObject({ role: "member" });
      expect((await readableChannel(ctx, scout, { id })).id).toBe(id);
      await updateMembership(ctx, ann, { id }, "ranger", {});
      expect(await agentAdded(ctx, id, ranger.agentId)).not.toBeNull();
      const { members } = await membersOf(ctx, ann, { id }, {});
      expect(members.map(({ kind, name, role }) => [kind, name, role])).toEqual([
        ["user", "ann", "owner"],
        ["agent", "Scout One", "member"],
        ["agent", "Ranger", "member"],
      ]);
      expect(await removeMember(ctx, ann, { id }, "scout_one")).toMatchObject({ name: "Scout One" });
      expect(heard).toContain(`access_ended ${id}:a${scout.agentId}:kicked`);
      await expect(readableChannel(ctx, scout, { id })).rejects.toEqual(code("password_required"));
    });

    test("ends the access to a private channel when a user leaves, but not to a public one", async () => {
      await using database = await open();
      const ctx = testContext(database);
      const heard = announced(ctx);
      const [ann, bob] = [await user(ctx, "ann"), await user(ctx, "bob")];
      const open_ = await createChannel(ctx, ann, { name: "Tea" });
      const closed = await createChannel(ctx, ann, { name: "Cake", is_private: true });
      await joinUnpaid(ctx, bob, { id: open_.id });
      await updateMembership(ctx, ann, { id: closed.id }, "bob", {});
      heard.length = 0;
      await leaveChannel(ctx, bob, { id: open_.id });
      await leaveChannel(ctx, bob, { id: open_.id });
      await leaveChannel(ctx, bob, { id: closed.id });
      expect(heard).toEqual([
        `membership_changed ${open_.id}:u${bob.userId}`,
        `membership_changed ${closed.id}:u${bob.userId}`,
        `access_ended ${closed.id}:u${bob.userId}:left`,
      ]);
      await expect(leaveChannel(ctx, bob, { id: closed.id })).rejects.toEqual(code("channel_not_found"));
    });
  });

  test("decides what the list shows: the user's channels and those they can join", async () => {
    await using database = await open();
    const ctx = testContext(database);
    const [ann, bob, root] = [await user(ctx, "ann"), await user(ctx, "bob"), await user(ctx, "root2", 3)];
    const [scout, ranger] = [await agent(ctx, "Scout"), await agent(ctx, "Ranger")];
    await createChannel(ctx, ann, { name: "open" });
    await createChannel(ctx, ann, { name: "locked", is_private: true, password: "sesame" });
    const hidden = await createChannel(ctx, ann, { name: "hidden", is_private: true });
    await updateMembership(ctx, ann, { id: hidden.id }, "bob", {});
    await updateMembership(ctx, ann, { id: hidden.id }, "Scout", {});
    const seen = async (caller: Parameters<typeof visibleChannels>[1]) =>
      (await visibleChannels(ctx, caller, {})).channels.map(
        (channel) => `${channel.channel_slug}:${channel.my_role}:${channel.member_count}`,
      );
    expect(await seen(ann)).toEqual(["open:owner:1", "locked:owner:1", "hidden:owner:3", "general:null:0"]);
    expect(await seen(bob)).toEqual(["hidden:member:3", "general:null:0", "open:null:1", "locked:null:1"]);
    expect(await seen(scout)).toEqual(["hidden:member:3", "general:null:0", "open:null:1", "locked:null:1"]);
    for (const outsider of [ranger, root, GUEST]) {
      expect(await seen(outsider)).toEqual(["general:null:0", "open:null:1", "locked:null:1"]);
    }
  });

  test("is not needed by administrators, whose reading of a private channel is audited once a minute", async () => {
    await using database = await open();
    const ctx = testContext(database);
    const [ann, mod, root] = [await user(ctx, "ann"), await user(ctx, "mo", 1), await user(ctx, "root2", 2)];
    const { id } = await createChannel(ctx, ann, { name: "hidden", is_private: true });
    await expect(readableChannel(ctx, mod, { id })).rejects.toEqual(code("channel_not_found"));
    expect((await readableChannel(ctx, root, { id })).id).toBe(id);
    await readableChannel(ctx, root, { id });
    await readableChannel(ctx, ann, { id });
    const audits = await ctx.db.selectFrom("audit_log").select(["actor", "action", "subject"]).execute();
    expect(audits).toEqual([{ actor: "root2", action: "channel_read", subject: `channel:${id}` }]);
    expect(await membership(ctx, id, root.userId)).toBeNull();
  });
});
