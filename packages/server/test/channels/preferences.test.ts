import { describe, expect, test } from "bun:test";
import { PREFERENCES_PER_REQUEST, SECTION_NAME_MAX } from "@parley/protocol/limits";
import { eraseAll } from "../../src/privacy/erasing.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { say } from "../support/say.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { type Client, PASSWORD, startTestServer } from "../support/servers/test-server.ts";

const SETTINGS = "/api/notifications/settings";
const SIDEBAR = "/api/sidebar";
const PUSH = {
  push: { previews: false, quiet_from: null, quiet_to: null, zone: null },
  mail: { digest: "away", previews: false },
  muted_until: null,
};

/** Notification settings and the arrangement of channels (protocol §3). */
eachDatabase(async (_, open) => {
  let count = 0;
  const server = await forAllTests(startTestServer({}, { database: await open() }));

  const newChannel = async (owner: Client): Promise<number> =>
    (await owner.post("/api/channels", { name: `Room ${++count}` })).body.channel_id;

  describe("notification settings", () => {
    test("hold the default and the channels that differ, and change only what is named", async () => {
      const ann = await server.newUser();
      const [first, second] = [await newChannel(ann), await newChannel(ann)];
      const empty = await ann.get(SETTINGS);
      expect(empty.body).toEqual({ success: true, default: "mentions", channels: {}, ...PUSH });

      const channels = { [first]: { muted: true }, [second]: { level: "all" } };
      expect((await ann.put(SETTINGS, { channels })).status).toBe(200);
      await ann.put(SETTINGS, { channels: { [first]: { level: "none" } } });
      await ann.put(SETTINGS, { default: "none" });
      expect((await ann.get(SETTINGS)).body).toMatchObject({
        default: "none",
        channels: { [first]: { level: "none", muted: true }, [second]: { level: "all", muted: false } },
      });
      const reset = { [first]: { level: null, muted: false }, [second]: { level: null } };
      expect((await ann.put(SETTINGS, { channels: reset })).body.channels[second]).toEqual({
        level: null,
        muted: false,
      });
      expect((await ann.get(SETTINGS)).body.channels).toEqual({});
    });

    test("hold when and how messages are pushed, and a client that does not know this changes none of it", async () => {
      const ann = await server.newUser();
      const push = { previews: true, quiet_from: "22:00", quiet_to: "07:30", zone: "America/New_York" };
      const muted_until = "2100-01-01T00:00:00.000Z";
      expect((await ann.put(SETTINGS, { push, muted_until })).body).toMatchObject({ push, muted_until });
      await ann.put(SETTINGS, { default: "all", channels: {} });
      await ann.put(SETTINGS, { push: { previews: false } });
      const after = await ann.get(SETTINGS);
      expect(after.body).toMatchObject({ default: "all", push: { ...push, previews: false }, muted_until });
      const none = { quiet_from: null, quiet_to: null, zone: null };
      const reset = await ann.put(SETTINGS, { push: none, muted_until: null });
      expect(reset.body).toMatchObject({ push: none, muted_until: null });
    });

    test.each([
      [{ push: { quiet_from: "22:00" } }],
      [{ push: { quiet_from: "24:00", quiet_to: "07:00" } }],
      [{ push: { zone: "Mars/Olympus" } }],
      [{ push: { zone: "+01:00" } }],
      [{ push: { previews: "yes" } }],
      [{ muted_until: "tomorrow" }],
    ])("refuse %j", async (body) => {
      const ann = await server.newUser();
      expectError(await ann.put(SETTINGS, body), 400, "invalid_request");
      expect((await ann.get(SETTINGS)).body).toMatchObject(PUSH);
    });

    test("end with the membership, and are hidden while the channel is deleted", async () => {
      const [ann, bob] = [await server.newUser(), await server.newUser()];
      const channel = await newChannel(ann);
      await bob.post(`/api/channels/${channel}/join`);
      for (const who of [ann, bob]) await who.put(SETTINGS, { channels: { [channel]: { muted: true } } });
      await bob.post(`/api/channels/${channel}/leave`);
      await bob.post(`/api/channels/${channel}/join`);
      expect((await bob.get(SETTINGS)).body.channels).toEqual({});
      await ann.delete(`/api/channels/${channel}`);
      expect((await ann.get(SETTINGS)).body.channels).toEqual({});
      expectError(await ann.put(SETTINGS, { channels: { [channel]: { muted: false } } }), 404, "channel_not_found");
    });
  });

  describe("the sidebar", () => {
    test("holds favourites, sections and the sorting, and changes only what is named", async () => {
      const ann = await server.newUser();
      const channel = await newChannel(ann);
      const before = await ann.get(SIDEBAR);
      expect(before.body).toMatchObject({ sorting: "name", channels: {}, mentions: {} });
      const changed = await ann.put(SIDEBAR, { channels: { [channel]: { section: "  Work  " } } });
      expect(changed.status).toBe(200);
      await ann.put(SIDEBAR, { channels: { [channel]: { favourite: true } }, sorting: "activity" });
      expect((await ann.get(SIDEBAR)).body).toMatchObject({
        sorting: "activity",
        channels: { [channel]: { favourite: true, section: "Work" } },
      });
      await ann.put(SIDEBAR, { channels: { [channel]: { favourite: false, section: " \u200b " } } });
      expect((await ann.get(SIDEBAR)).body.channels).toEqual({});
    });

    test("lists the caller's channels by their newest message", async () => {
      const ann = await server.newUser();
      const [first, second, silent] = [await newChannel(ann), await newChannel(ann), await newChannel(ann)];
      await say(ann, second, "one");
      await say(ann, first, "two");
      const { activity } = (await ann.get(SIDEBAR)).body;
      expect(activity.filter((id: number) => [first, second, silent].includes(id))).toEqual([first, second]);
    });

    test("lists unread mentions by others, except by blocked senders and in deleted messages", async () => {
      const [ann, bob, cid] = [await server.newUser(), await server.newUser(), await server.newUser()];
      const channel = await newChannel(ann);
      // Underscores match any character in SQL patterns.
      const alike = await server.user(ann.username.replace("_", "x"));
      await alike.post(`/api/channels/${channel}/join`);
      const { seq } = await say(bob, channel, `@${ann.username} one`);
      const { message_id, seq: second } = await say(bob, channel, `@${ann.username} two @${ann.username}`);
      await say(bob, channel, `@${ann.username.replace("_", "x")} and user_ ${ann.username}`);
      await say(cid, channel, `@${ann.username} blocked`);
      await say(ann, channel, `@${ann.username} to myself`);
      await ann.put(`/api/blocks/${cid.username}`);
      const mentions = async () => (await ann.get(SIDEBAR)).body.mentions[channel];
      expect(await mentions()).toEqual([second, seq]);
      await bob.delete(`/api/messages/${message_id}`);
      expect(await mentions()).toEqual([seq]);
      await ann.post(`/api/channels/${channel}/read`);
      expect(await mentions()).toBeUndefined();
    });
  });

  describe.each([
    [SETTINGS, { muted: true }],
    [SIDEBAR, { favourite: true }],
  ])("PUT %s", (path, change) => {
    test("refuses channels that the caller is no member of, whether they exist or not, and changes nothing", async () => {
      const [ann, bob] = [await server.newUser(), await server.newUser()];
      const [own, hidden] = [await newChannel(ann), await newChannel(bob)];
      await bob.put(`/api/channels/${hidden}`, { is_private: true });
      for (const id of [hidden, 999_999_999]) {
        expectError(await ann.put(path, { channels: { [own]: change, [id]: change } }), 404, "channel_not_found");
      }
      expect((await ann.get(path)).body.channels).toEqual({});
    });

    test("refuses malformed values, malformed ids and too many channels", async () => {
      const ann = await server.newUser();
      const many = Object.fromEntries(Array.from({ length: PREFERENCES_PER_REQUEST + 1 }, (_, i) => [i + 1, change]));
      const bodies = [
        { default: "loud", sorting: "size" },
        { channels: { general: change } },
        { channels: { 0: change } },
        { channels: { 1: { level: "loud", section: "x".repeat(SECTION_NAME_MAX + 1) } } },
        { channels: many },
      ];
      for (const body of bodies) expectError(await ann.put(path, body), 400, "invalid_request");
      expectError(await server.guest.get(path), 401, "session_required");
      expectError(await server.guest.put(path, {}), 401, "session_required");
    });
  });

  test("all sockets of the user learn of a change, and nobody else's", async () => {
    const [ann, bob] = [await server.newUser(), await server.newUser()];
    const channel = await newChannel(ann);
    await using atAnn = await LiveSocket.open(server.url, ann.credential);
    await using atBob = await LiveSocket.open(server.url, bob.credential);
    await ann.put(SETTINGS, { channels: { [channel]: { muted: true } } });
    await ann.put(SIDEBAR, { channels: { [channel]: { section: "Work" } } });
    const settings = await atAnn.next("notifications:settings");
    expect(settings.data).toMatchObject({
      default: "mentions",
      channels: { [channel]: { level: null, muted: true } },
      ...PUSH,
    });
    const sidebar = await atAnn.next("sidebar:update");
    expect(sidebar.data).toEqual({ sorting: "name", channels: { [channel]: { favourite: false, section: "Work" } } });
    await atBob.settle();
    expect([...atBob.all("notifications:settings"), ...atBob.all("sidebar:update")]).toEqual([]);
  });

  test("the copy of a user's data has their preferences, and an erasure removes them", async () => {
    const ann = await server.newUser();
    const [general] = (await ann.get("/api/channels?channel_slug=general")).body.channels;
    await ann.post(`/api/channels/${general.id}/join`);
    await ann.put(SETTINGS, { default: "all", channels: { [general.id]: { muted: true, level: "none" } } });
    await ann.put(SETTINGS, { push: { quiet_from: "22:00", quiet_to: "07:30", zone: "Asia/Tokyo" } });
    await ann.put(SIDEBAR, { channels: { [general.id]: { favourite: true, section: "Secret plans" } } });
    const copy = (await ann.get(`/api/user/${ann.username}/export`)).body;
    expect(copy.preferences).toMatchObject([
      { notify_default: "all", sorting: "name", quiet_from: "22:00", zone: "Asia/Tokyo" },
    ]);
    expect(copy.memberships).toMatchObject([
      { channel_id: general.id, notify_level: "none", is_muted: true, is_favourite: true, section: "Secret plans" },
    ]);
    const { db } = server.ctx;
    const user = await db
      .selectFrom("users")
      .select("id")
      .where("username", "=", ann.username)
      .executeTakeFirstOrThrow();
    await ann.delete(`/api/user/${ann.username}`, { body: { password: PASSWORD } });
    await eraseAll(server.ctx);
    const rows = db.selectFrom("user_preferences").selectAll().where("user_id", "=", user.id);
    expect(await rows.execute()).toEqual([]);
    const places = db.selectFrom("channel_members").selectAll().where("section", "=", "Secret plans");
    expect(await places.execute()).toEqual([]);
  });
});
