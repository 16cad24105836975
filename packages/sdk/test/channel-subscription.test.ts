import { afterEach, beforeEach, expect, test } from "bun:test";
import { eventually, startTestServer, type TestServer } from "../../server/test/support/servers/test-server.ts";
import { staff } from "../../server/test/support/staff.ts";
import { ParleyClient } from "../src/client.ts";
import { reactionsAfter } from "../src/reactions.ts";
import type { ChannelEvent } from "../src/realtime/subscription-types.ts";
import { QUICK, registered } from "./support/clients.ts";
import { chances, NastyProxy } from "./support/proxy.ts";
import { RecordingSubscriber } from "./support/recording-subscriber.ts";

let server: TestServer;
let ana: ParleyClient;
let guest: ParleyClient;

beforeEach(async () => {
  server = await startTestServer();
  ana = await registered(server.url, "ana");
  guest = new ParleyClient({ url: server.url });
});

afterEach(() => server[Symbol.asyncDispose]());

async function say(count: number, name = "m"): Promise<number> {
  let last = 0;
  for (let from = 1; from <= count; from += 50) {
    const batch = Array.from({ length: Math.min(50, count - from + 1) }, (_, n) => `${name}${from + n}`);
    const sent = await Promise.all(batch.map((content) => ana.messages.send({ channel_slug: "general", content })));
    last = Math.max(last, ...sent.map(({ seq }) => seq));
  }
  return last;
}

test("a feed begins with the newest messages and continues with events of all kinds", async () => {
  const last = await say(10);
  const begun: boolean[] = [];
  const onReady = ({ hasOlder }: { hasOlder: boolean }) => void begun.push(hasOlder);
  using follower = new RecordingSubscriber(guest, guest.realtime({ backoff: QUICK }), { backlog: 4, onReady });
  await follower.reaches(last);
  expect(begun).toEqual([true]);
  follower.expectRun(last - 3, last);
  const { message_id } = await ana.messages.send({ channel_slug: "general", content: "one" });
  await ana.messages.edit(message_id, "two");
  await ana.messages.delete(message_id);
  await follower.reaches(last + 3);
  expect(follower.events.slice(-3).map(({ event }) => event)).toEqual([
    "message:new",
    "message:update",
    "message:delete",
  ]);
  expect(follower.paged).toEqual([]);
});

test("a feed that is closed before its join was answered leaves the channel too", async () => {
  using live = guest.realtime({ backoff: QUICK });
  await live.command("ping", {});
  guest.subscribe(live, { channel: "general", onEvent() {} }).close();
  await live.command("ping", {});
  expect(server.ctx.presence.guestCount(1)).toBe(0);
  // The next one is not left by it.
  guest.subscribe(live, { channel: "general", onEvent() {} }).close();
  const events: ChannelEvent[] = [];
  using _ = guest.subscribe(live, { channel: "general", onEvent: (event) => events.push(event) });
  await live.command("ping", {});
  await say(1);
  await eventually("it hears", () => events.length === 1);
});

test("reactions followed event by event equal those of a page", async () => {
  const ben = await registered(server.url, "ben");
  const { message_id, seq } = await ana.messages.send({ channel_slug: "general", content: "cake?" });
  await ana.messages.react(message_id, "👀");
  let shown = (await ana.messages.list({ channel_id: "general" })).messages.at(-1)?.reactions ?? [];
  const onEvent = (event: ChannelEvent) => {
    if (event.event === "reaction:update") shown = reactionsAfter(shown, event.data, "ana");
  };
  using live = ana.realtime({ backoff: QUICK });
  using _feed = ana.subscribe(live, { channel: "general", after: { seq: seq + 1, epoch: server.ctx.epoch }, onEvent });
  await ben.messages.react(message_id, "like");
  await live.command("reaction:add", { message_id, reaction: "like" });
  await ana.messages.unreact(message_id, "👀");
  await live.command("reaction:add", { message_id, reaction: "👋" });
  await eventually("all kinds", () => shown.some(({ reaction }) => reaction === "👋"));
  expect(shown).toEqual((await ana.messages.list({ channel_id: "general" })).messages.at(-1)?.reactions ?? []);
  expect(shown.map(({ me }) => me)).toEqual([true, true]);
});

test("a feed resumes where an earlier run stopped", async () => {
  const stop = await say(3);
  const position = { seq: stop, epoch: server.ctx.epoch };
  const last = await say(5, "later");
  using follower = new RecordingSubscriber(guest, guest.realtime({ backoff: QUICK }), { after: position });
  await follower.reaches(last);
  follower.expectRun(stop + 1, last);
  expect(follower.feed.position).toEqual({ seq: last, epoch: server.ctx.epoch });
});

test("a feed that missed too much pages through the history, despite disconnects and new messages", async () => {
  await using proxy = await NastyProxy.start(server.url);
  const chance = chances(7);
  const through = new ParleyClient({ url: proxy.url, backoff: QUICK, maxRetries: 50 });
  using follower = new RecordingSubscriber(through, through.realtime({ backoff: QUICK }));
  await follower.isJoined();
  const first = (follower.feed.position?.seq ?? 0) + 1;
  proxy.isDown = true;
  proxy.cutAll();
  await say(1_300, "missed");
  proxy.budget = () => (proxy.cuts < 40 ? Math.floor(1_000 + 200_000 * chance()) : null);
  proxy.isDown = false;
  const last = await say(400, "meanwhile");
  await follower.reaches(last, 20_000);
  follower.expectRun(first, last);
  expect(follower.paged[0]).toMatchObject({ afterSeq: first - 1 });
  expect(follower.resets).toBe(0);
});

test("a paged range leaves out only events that are not messages, and the feed reports it", async () => {
  const last = await say(2);
  const { message_id } = await ana.messages.send({ channel_slug: "general", content: "x" });
  await ana.messages.edit(message_id, "y");
  // More than the server replays.
  const end = await say(1_001, "n");
  using follower = new RecordingSubscriber(guest, guest.realtime({ backoff: QUICK }), {
    after: { seq: last, epoch: server.ctx.epoch },
  });
  await follower.reaches(end);
  expect(follower.paged).toEqual([{ afterSeq: last, upToSeq: end }]);
  expect(follower.seqs.slice(0, 3)).toEqual([last + 1, last + 3, last + 4]);
  expect(follower.texts[0]).toBe("y");
  expect(new Set(follower.seqs).size).toBe(follower.seqs.length);
});

test.each([
  ["of another epoch", () => ({ seq: 2, epoch: "before-the-restore" })],
  ["ahead of the server", () => ({ seq: 999_999, epoch: server.ctx.epoch })],
])("a feed that resumes from a position %s starts afresh", async (_, after) => {
  const last = await say(5);
  using follower = new RecordingSubscriber(guest, guest.realtime({ backoff: QUICK }), { after: after(), backlog: 3 });
  await eventually("onReset is called", () => follower.resets === 1);
  await follower.reaches(last);
  follower.expectRun(last - 2, last);
});

test("a private channel can be followed with its password until the user is kicked", async () => {
  const { channel_id } = await ana.channels.create({ name: "Garden", is_private: true, password: "red roses" });
  const ben = await registered(server.url, "ben");
  using stranger = new RecordingSubscriber(ben, ben.realtime({ backoff: QUICK }), { channel: "garden" });
  expect(await eventually("it ended", () => stranger.ended)).toMatchObject({ code: "password_required" });
  using member = new RecordingSubscriber(ben, ben.realtime({ backoff: QUICK }), {
    channel: channel_id,
    password: "red roses",
    backlog: 5,
  });
  await member.isJoined();
  await ana.channels.removeMember(channel_id, "ben");
  expect(await eventually("it ended", () => member.ended)).toMatchObject({ code: "access_ended" });
});

async function administrator(): Promise<ParleyClient> {
  const { credential } = await staff(server, "ruth", 2);
  return new ParleyClient({ url: server.url, cookie: credential.cookie });
}

test("a deleted channel's feed resumes where it stopped when the channel is restored", async () => {
  const ruth = await administrator();
  const { channel_id } = await ana.channels.create({ name: "Brief" });
  using follower = new RecordingSubscriber(ana, ana.realtime({ backoff: QUICK }), { channel: "brief" });
  await follower.isJoined();
  await ana.messages.send({ channel_id, content: "before" });
  await ana.channels.delete(channel_id);
  await eventually("the deletion arrives", () => follower.events.at(-1)?.event === "channel:deleted");
  expect(follower.ended).toBeNull();
  await ruth.admin.restoreChannel(channel_id);
  const { seq } = await ana.messages.send({ channel_id, content: "in between" });
  await follower.reaches(seq);
  await ana.messages.send({ channel_id, content: "after" });
  await follower.reaches(seq + 1);
  expect(follower.events.map(({ event }) => event)).toEqual([
    "message:new",
    "channel:deleted",
    "channel:update",
    "message:new",
    "message:new",
  ]);
  follower.expectRun(1, seq + 1);
  expect([follower.joins, follower.paged.length, follower.resets, follower.ended]).toEqual([2, 0, 0, null]);
});

test("a feed continues after its channel was deleted and restored, however long that took or while disconnected", async () => {
  await using proxy = await NastyProxy.start(server.url);
  const ruth = await administrator();
  const { channel_id } = await ana.channels.create({ name: "Brief" });
  const through = new ParleyClient({ url: proxy.url, cookie: ana.cookie ?? undefined, backoff: QUICK });
  using follower = new RecordingSubscriber(through, through.realtime({ backoff: QUICK }), { channel: channel_id });
  await follower.isJoined();
  const away = async (act: () => Promise<unknown>) => {
    proxy.isDown = true;
    proxy.cutAll();
    await eventually("it is away", () => follower.live.state !== "live");
    await act();
    proxy.isDown = false;
    await eventually("it is back", () => follower.live.state === "live");
    // Answered after the join.
    await follower.live.command("ping", {});
  };
  await away(async () => {
    await ana.channels.delete(channel_id);
    await ruth.admin.restoreChannel(channel_id);
  });
  await follower.reaches(2);
  await ana.channels.delete(channel_id);
  await follower.reaches(3);
  await away(async () => {});
  await ruth.admin.restoreChannel(channel_id);
  await follower.reaches(4);
  follower.expectRun(1, 4);
  expect(follower.ended).toBeNull();
});

test("a feed ends if its channel does not exist at the first join", async () => {
  const { channel_id } = await ana.channels.create({ name: "Brief" });
  await ana.channels.delete(channel_id);
  using follower = new RecordingSubscriber(ana, ana.realtime({ backoff: QUICK }), { channel: channel_id });
  expect(await eventually("it ended", () => follower.ended)).toMatchObject({ code: "channel_not_found" });
});

test.each(["throws", "rejects"])(
  "a handler that %s reaches onError and does not stop the subscription",
  async (how) => {
    const seen: number[] = [];
    const errors: string[] = [];
    const onEvent = ({ data }: { data: { seq: number } }): void | Promise<void> => {
      seen.push(data.seq);
      const error = new Error(`at ${data.seq}`);
      if (how === "throws") throw error;
      return Promise.reject(error);
    };
    const onError = (error: unknown) => void errors.push((error as Error).message);
    using follower = new RecordingSubscriber(guest, guest.realtime({ backoff: QUICK }), { onEvent, onError });
    await follower.isJoined();
    const last = await say(3);
    await follower.reaches(last);
    const all = [last - 2, last - 1, last];
    expect(seen).toEqual(all);
    await eventually("all are reported", () => errors.length === 3);
    expect(errors).toEqual(all.map((seq) => `at ${seq}`));
  },
);

test("without its own onError, a subscription uses that of the realtime client", async () => {
  const errors: unknown[] = [];
  const realtime = guest.realtime({ backoff: QUICK, onError: (error) => errors.push(error) });
  const fault = new Error("of the handler");
  const onJoined = () => {
    throw fault;
  };
  using follower = new RecordingSubscriber(guest, realtime, { onJoined });
  await follower.isJoined();
  expect(errors).toEqual([fault]);
});

test("a closed feed leaves the channel", async () => {
  const follower = new RecordingSubscriber(ana, ana.realtime({ backoff: QUICK }));
  await follower.isJoined();
  expect(server.ctx.presence.count(1)).toBe(1);
  follower.feed.close();
  await eventually("it has left", () => server.ctx.presence.count(1) === 0);
  await say(1);
  expect(follower.events).toEqual([]);
  follower.live.close();
});

test("typing and online-list events are delivered without a seq", async () => {
  using follower = new RecordingSubscriber(guest, guest.realtime({ backoff: QUICK }));
  await follower.isJoined();
  using other = new RecordingSubscriber(ana, ana.realtime({ backoff: QUICK }));
  await other.isJoined();
  await other.live.command("typing:start", { channel_slug: "general" });
  await eventually("both are heard", () => new Set(follower.passing.map(({ event }) => event)).size === 2);
  const list = follower.passing.find(({ event }) => event === "user:list");
  expect(list?.data).toMatchObject({ count: 1, users: [{ kind: "user", name: "ana" }] });
});
