import { expect, test } from "bun:test";
import { CHANNELS_PER_USER } from "@parley/protocol/limits";
import { agent, code, user } from "../../../test/support/actors.ts";
import { testContext } from "../../../test/support/context.ts";
import { eachDatabase } from "../../../test/support/databases.ts";
import { joinUnpaid } from "../../../test/support/join.ts";
import { eventually } from "../../../test/support/servers/test-server.ts";
import type { AppContext } from "../../context.ts";
import { GUEST, type Identity, type UserIdentity } from "../../http/identity.ts";
import { postMessage } from "../../messages/append/post-message.ts";
import { userTopic } from "../../realtime/topics.ts";
import { readableChannel, writableChannel } from "../access/access.ts";
import { visibleChannels } from "../channel-list.ts";
import { leaveChannel } from "../members/join.service.ts";
import { membersOf } from "../members/members.service.ts";
import { createChannel } from "../settings/settings.service.ts";
import { openDirect } from "./direct.service.ts";

async function say(ctx: AppContext, caller: UserIdentity, id: number): Promise<void> {
  await postMessage(ctx, { caller, channel: await writableChannel(ctx, caller, { id }), content: "hello" });
}

const isListed = async (ctx: AppContext, caller: Identity, id: number): Promise<boolean> =>
  (await visibleChannels(ctx, caller, {})).channels.some((channel) => channel.id === id);

/** Collects the ephemeral events this user's sockets would receive. */
function heardBy(ctx: AppContext, who: UserIdentity): string[] {
  const heard: string[] = [];
  ctx.hub.listen(userTopic(who.userId), (messages) => {
    for (const { event, frame } of messages) {
      const { data } = JSON.parse(frame) as {
        data: { channel?: { id: number; direct_with: string }; channel_id?: number };
      };
      heard.push(`${event} ${data.channel?.id ?? data.channel_id} ${data.channel?.direct_with ?? ""}`.trim());
    }
  });
  return heard;
}

eachDatabase((_name, open) => {
  test("two people who open a direct conversation at once get one channel with two members", async () => {
    await using database = await open();
    const ctx = testContext(database);
    const [ann, bob] = [await user(ctx, "ann"), await user(ctx, "bob")];
    const [atAnn, atBob] = [heardBy(ctx, ann), heardBy(ctx, bob)];
    const opened = await Promise.all([
      openDirect(ctx, ann, "bob"),
      openDirect(ctx, bob, "ANN"),
      openDirect(ctx, ann, "Bob"),
      openDirect(ctx, bob, "ann"),
    ]);
    const ids = new Set(opened.map(({ channel }) => channel.id));
    const [id = 0] = ids;
    expect(ids.size).toBe(1);
    expect(opened.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect([...atAnn, ...atBob]).toEqual([expect.stringMatching(new RegExp(`^channel:added ${id} (ann|bob)$`))]);
    const { members } = await membersOf(ctx, ann, { id }, {});
    expect(members.map(({ name, role }) => `${name} ${role}`).sort()).toEqual(["ann member", "bob member"]);
    const channels = await ctx.db.selectFrom("channels").select("slug").where("is_private", "=", 1).execute();
    expect(channels).toEqual([{ slug: expect.stringMatching(/^direct-[0-9a-f]{20}$/) }]);
  });

  test("only its two members can find a direct conversation", async () => {
    await using database = await open();
    const ctx = testContext(database);
    const [ann, bob, cid] = [await user(ctx, "ann"), await user(ctx, "bob"), await user(ctx, "cid")];
    const [mod, root] = [await user(ctx, "mo", 1), await user(ctx, "ruth", 3)];
    const scout = await agent(ctx, "Scout");
    const { id } = (await openDirect(ctx, ann, "bob")).channel;
    for (const member of [ann, bob]) expect(await isListed(ctx, member, id)).toBe(true);
    for (const other of [cid, mod, root, scout, GUEST]) expect(await isListed(ctx, other, id)).toBe(false);
    for (const other of [cid, mod, scout, GUEST]) {
      await expect((async () => readableChannel(ctx, other, { id }))()).rejects.toEqual(code("channel_not_found"));
      await expect(joinUnpaid(ctx, other, { id })).rejects.toEqual(code("channel_not_found"));
    }
    expect((await readableChannel(ctx, root, { id })).id).toBe(id);
    await expect(joinUnpaid(ctx, root, { id })).rejects.toEqual(code("forbidden"));
    await expect(say(ctx, root, id)).rejects.toEqual(code("post_policy"));
  });

  test("a direct conversation does not count against the limit of own channels", async () => {
    await using database = await open();
    const ctx = testContext(database);
    const ann = await user(ctx, "ann");
    await user(ctx, "bob");
    for (let made = 0; made < CHANNELS_PER_USER - 1; made += 1) await createChannel(ctx, ann, { name: `c${made}` });
    await openDirect(ctx, ann, "bob");
    await createChannel(ctx, ann, { name: "last" });
    await expect(createChannel(ctx, ann, { name: "too many" })).rejects.toEqual(code("channel_limit_reached"));
    const cid = await user(ctx, "cid");
    expect((await openDirect(ctx, ann, "cid")).channel.direct_with).toBe("cid");
    expect(await openDirect(ctx, cid, "ann")).toMatchObject({ isNew: false, channel: { direct_with: "ann" } });
  });

  test("a direct conversation that one side closed stays open for the other and returns with the next message or when it is opened", async () => {
    await using database = await open();
    const ctx = testContext(database);
    const [ann, bob] = [await user(ctx, "ann"), await user(ctx, "bob")];
    const { id } = (await openDirect(ctx, ann, "bob")).channel;
    await say(ctx, ann, id);
    const atBob = heardBy(ctx, bob);
    await leaveChannel(ctx, bob, { id });
    expect([await isListed(ctx, bob, id), await isListed(ctx, ann, id)]).toEqual([false, true]);
    expect(atBob).toEqual([`channel:removed ${id}`]);
    expect((await readableChannel(ctx, bob, { id })).id).toBe(id);
    await say(ctx, ann, id);
    expect(await isListed(ctx, bob, id)).toBe(true);
    await eventually("the call", () => atBob.length === 2);
    await say(ctx, ann, id);
    expect(atBob[1]).toBe(`channel:added ${id} ann`);
    await leaveChannel(ctx, bob, { id });
    await leaveChannel(ctx, ann, { id });
    expect(await openDirect(ctx, bob, "ann")).toMatchObject({ isNew: false, channel: { id, unread_count: 3 } });
    expect([await isListed(ctx, bob, id), await isListed(ctx, ann, id)]).toEqual([true, false]);
    expect(atBob.filter((event) => event.startsWith("channel:added"))).toHaveLength(1);
  });
});
