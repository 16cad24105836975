import { expect, test } from "bun:test";
import { EVENTS } from "@parley/protocol/events";
import { Compile } from "typebox/compile";
import { user } from "../../../test/support/actors.ts";
import { testContext } from "../../../test/support/context.ts";
import { eachDatabase } from "../../../test/support/databases.ts";
import { register } from "../../accounts/accounts.service.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { spanReaders } from "../../event-log/event-spans.ts";
import { loadEvents } from "../../event-log/events.ts";
import { channelFeed, receive } from "../../event-log/feed/feed.ts";
import { MODULES } from "../../modules.ts";
import { grantInitialPoints } from "../../points/initial-grant.ts";
import { eraseAll } from "../../privacy/erasing.ts";
import { eraseUser } from "../../privacy/erasure.service.ts";
import { erasingSteps, stepsOf } from "../../privacy/steps.ts";
import type { BrokerMessage } from "../../realtime/broker/broker.ts";
import { channelTopic } from "../../realtime/topics.ts";
import { createPacket } from "../create/create.service.ts";
import { claimReader } from "./claim-events.ts";
import { claimPacket } from "./claims.service.ts";

const GENERAL = 1;
const PASSWORD = "correct horse battery";
const Data = Compile(EVENTS["red_packet:claimed"].data);

eachDatabase((_, open) => {
  async function heardIn(ctx: AppContext): Promise<BrokerMessage[]> {
    const heard: BrokerMessage[] = [];
    await ctx.hub.listen(channelTopic(GENERAL), (messages) => heard.push(...messages)).ready;
    return heard;
  }

  async function packetOf(ctx: AppContext, count: number) {
    const ann = await user(ctx, "ann");
    await transact(ctx, (ctx) => grantInitialPoints(ctx, ann.userId));
    const make = () => createPacket(ctx, ann, { channel_id: GENERAL, total_amount: String(count * 7), count }, null);
    return { ann, make };
  }

  test("claim events are read again as they were published, across batches, packets and their ends", async () => {
    await using database = await open();
    const ctx = testContext(database, { config: { initialPoints: 1_000 } });
    spanReaders(ctx, claimReader);
    const { make } = await packetOf(ctx, 9);
    const people = await Promise.all(Array.from({ length: 12 }, (_, n) => user(ctx, `p${n}`)));
    const heard = await heardIn(ctx);
    const [one, two] = [(await make()).packet_id, (await make()).packet_id];
    for (const batch of [people.slice(0, 1), people.slice(1, 6), people.slice(4, 12)]) {
      await Promise.allSettled(batch.flatMap((who) => [claimPacket(ctx, who, one), claimPacket(ctx, who, two)]));
    }
    const frames = heard.map(({ frame }) => frame);
    const names = heard.map(({ event }) => event);
    expect(names.filter((name) => name === "red_packet:claimed")).toHaveLength(18);
    expect(names.filter((name) => name === "red_packet:closed")).toHaveLength(2);
    for (const frame of frames) {
      const { event, data } = JSON.parse(frame);
      if (event === "red_packet:claimed") expect(Data.Errors(data)).toEqual([]);
    }
    for (let after = 0; after <= frames.length; after += 1) {
      const found = (await loadEvents(ctx, GENERAL, after, 100)).map(({ frame }) => frame);
      expect(found).toEqual(frames.slice(after));
    }
  });

  test("an older event that is stored completely in the log is returned unchanged", async () => {
    await using database = await open();
    const ctx = testContext(database);
    spanReaders(ctx, claimReader);
    const data = '{"packet_id":1,"claim":{"claim_id":3},"remaining_amount":"1","remaining_count":1}';
    const row = { channel_id: GENERAL, seq: 1, event: "red_packet:claimed", message_id: null, data, created_at: 1 };
    await ctx.db.insertInto("channel_events").values(row).execute();
    const [found] = await loadEvents(ctx, GENERAL, 0, 10);
    expect(JSON.parse(found?.frame ?? "").data).toEqual({ channel_id: GENERAL, seq: 1, ...JSON.parse(data) });
  });

  test("an erased user's name is removed from claim events, in memory, too", async () => {
    await using database = await open();
    const ctx = testContext(database, { config: { initialPoints: 1_000 } });
    ctx.broker.onMessages((topic, messages) => receive(ctx, topic, messages));
    spanReaders(ctx, claimReader);
    const { make } = await packetOf(ctx, 2);
    const { packet_id } = await make();
    const feed = await channelFeed(ctx, GENERAL);
    const origin = { address: "192.0.2.1", userAgent: null };
    const { identity: bob } = await register(ctx, { username: "bob", password: PASSWORD, ...origin });
    await claimPacket(ctx, bob, packet_id);
    expect(feed.framesAfter(1)?.join()).toContain('"username":"bob"');
    erasingSteps(ctx, stepsOf(MODULES));
    await eraseUser(ctx, bob, "bob", PASSWORD);
    await eraseAll(ctx);
    await feed.ready();
    expect(feed.framesAfter(1)).toBeNull();
    const [claimed] = await loadEvents(ctx, GENERAL, 1, 10);
    expect(JSON.parse(claimed?.frame ?? "").data.claim.username).toBe("deleted-user");
  });
});
