import { expect, test } from "bun:test";
import type { VerificationCodeResponse } from "@parley/protocol/claims";
import { allRoutes } from "../../server/src/modules.ts";
import { searchConsumer } from "../../server/src/search/index/message-index.ts";
import { ClaimWorld } from "../../server/test/support/browser/claim-walk.ts";
import { stillGif } from "../../server/test/support/gifs.ts";
import { PASSWORD } from "../../server/test/support/servers/test-server.ts";
import { ParleyClient } from "../src/client.ts";
import { ParleyError } from "../src/errors.ts";
import { factorCalls } from "./support/factor-calls.ts";
import { findingCalls } from "./support/finding-calls.ts";
import { inboxCalls } from "./support/inbox-calls.ts";
import { recordCalls } from "./support/recorded-calls.ts";
import { roomCalls } from "./support/room-calls.ts";
import { setupCalls } from "./support/setup-calls.ts";
import { staffCalls } from "./support/staff-calls.ts";
import { walletCalls } from "./support/wallet-calls.ts";
import { webhookCalls } from "./support/webhook-calls.ts";
import { WITHOUT_METHOD } from "./support/without-method.ts";

const calls = recordCalls();
const { person } = calls;
const rooms = [...roomCalls, findingCalls, inboxCalls, webhookCalls];
for (const add of [...rooms, staffCalls, walletCalls, factorCalls, setupCalls]) add(calls);

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

test("calls for accounts and sessions return what the server stored", async () => {
  const ana = await person("ana");
  expect(ana.cookie).toMatch(/^parley_session=/);
  await ana.accounts.updateUser("ana", { avatar: PNG, email: "ana@example.org" });
  const { email, invite_code, is_online } = await ana.accounts.user("ana");
  expect((await ana.accounts.invitation(invite_code ?? "")).invitation).toEqual({ username: "ana" });
  expect((await ana.site()).site).toMatchObject({ name: "Parley", registration: "open", guest_read: true });
  expect({ email, hasCode: typeof invite_code, is_online }).toEqual({
    email: "ana@example.org",
    hasCode: "string",
    is_online: false,
  });
  const { bytes, type } = await ana.accounts.avatar("ana");
  const { avatars } = await ana.accounts.avatars(["ana", "nobody"]);
  expect(avatars.map(({ username }) => username)).toEqual(["ana"]);
  expect([type, bytes.subarray(1, 4)]).toEqual(["image/png", new TextEncoder().encode("PNG")]);
  expect((await ana.accounts.honor("ana")).message_count).toBe(0);
  const { points, entries } = await ana.accounts.points("ana", { limit: 1 });
  expect([points, entries.map(({ kind, amount }) => [kind, amount])]).toEqual([100, [["grant", 100]]]);

  const again = new ParleyClient({ url: calls.server.url });
  const { user } = await again.accounts.login({ username: "ana", password: PASSWORD });
  expect(user).toEqual({ username: "ana", admin_level: null });
  const other = (await again.accounts.sessions()).sessions.find(({ current }) => !current);
  await again.accounts.endSession(other?.session_id ?? 0);
  await expect(ana.accounts.sessions()).rejects.toMatchObject({ code: "session_required", status: 401 });
  await again.accounts.endOtherSessions();
  expect((await again.accounts.sessions()).sessions.length).toBe(1);
  await again.accounts.logout();
  expect(again.cookie).toBeNull();
});

test("calls for security notices and blocks return what the server stored", async () => {
  const [ana] = [await person("ana"), await person("bob")];
  await ana.accounts.updateUser("ana", { email: "ana@example.org" });
  const { notices } = await ana.accounts.securityNotices({ limit: 5 });
  expect(notices).toMatchObject([{ kind: "email_changed", actor: "self" }]);
  await ana.accounts.dismissSecurityNotices(notices[0]?.notice_id ?? 0);
  expect((await ana.accounts.securityNotices()).notices).toEqual([]);
  expect((await ana.accounts.securityNotices({ include_dismissed: true })).notices).toHaveLength(1);

  expect((await ana.accounts.block("bob")).block).toMatchObject({ kind: "user", name: "bob" });
  expect((await ana.accounts.blocks()).blocks.map(({ name }) => name)).toEqual(["bob"]);
  await expect(ana.channels.openDirect("bob")).rejects.toMatchObject({ code: "user_blocked", status: 409 });
  expect((await ana.accounts.unblock("bob")).name).toBe("bob");
  expect((await ana.accounts.blocks()).blocks).toEqual([]);
});

test("calls for preferences change what they name", async () => {
  const ana = await person("ana");
  const { channel_id: id } = await ana.channels.create({ name: "Tea" });
  await ana.preferences.updateNotifications({ default: "all", channels: { [id]: { muted: true } } });
  const { default: level, channels } = await ana.preferences.notifications();
  expect([level, channels]).toEqual(["all", { [id]: { level: null, muted: true } }]);
  await ana.preferences.updateSidebar({ channels: { [id]: { favourite: true } } });
  expect(await ana.preferences.sidebar()).toMatchObject({ channels: { [id]: { favourite: true, section: null } } });
});

test("a client that has logged in before has login attempts of its own", async () => {
  const ana = await person("ana");
  await ana.accounts.logout();
  const stranger = new ParleyClient({ url: calls.server.url });
  const wrong = { username: "ana", password: "wrong horse battery" };
  for (let i = 0; i < 5; i += 1) await stranger.accounts.login(wrong).catch(() => {});
  const right = { username: "ana", password: PASSWORD };
  await expect(stranger.accounts.login(right)).rejects.toMatchObject({ code: "rate_limited" });
  expect((await ana.accounts.login(right)).user.username).toBe("ana");
});

test("a session continues in another client that has its cookie", async () => {
  const ana = await person("ana");
  const later = new ParleyClient({ url: `${calls.server.url}/`, cookie: ana.cookie ?? undefined });
  expect((await later.accounts.sessions()).sessions).toHaveLength(1);
});

test("calls for channels and members return what the server stored", async () => {
  const ana = await person("ana");
  const ben = await person("ben");
  await ana.channels.leave(1);
  const { channel_id, channel } = await ana.channels.create({
    name: "Garden",
    is_private: true,
    password: "red roses",
  });
  expect(channel).toMatchObject({ channel_slug: "garden", my_role: "owner", has_password: true });
  const first = await ana.channels.list({ limit: 1 });
  expect([first.has_more, first.next_after_id]).toEqual([false, null]); // own channels do not count
  const all = await Array.fromAsync(ana.channels.list());
  expect(all.map(({ channel_slug }) => channel_slug)).toEqual(["garden", "general"]);
  await expect(ben.channels.get(channel_id)).rejects.toMatchObject({ code: "password_required", status: 403 });
  expect((await ben.channels.join(channel_id, { password: "red roses" })).my_role).toBe("member");
  expect((await ben.channels.get(channel_id)).channel.member_count).toBe(2);
  await ana.channels.update(channel_id, { topic: "Roses" });
  expect((await ana.channels.setMember(channel_id, "ben", { role: "admin" })).member.role).toBe("admin");
  expect((await ana.channels.members(channel_id)).members.map(({ name }) => name)).toEqual(["ana", "ben"]);
  expect(await ana.channels.online(channel_id)).toMatchObject({ count: 0, users: [] });
  expect([await ana.channels.guard(channel_id), await ana.channels.silences(channel_id)]).toMatchObject([{}, {}]);
  expect(await ana.channels.clearGuard(channel_id)).toMatchObject({ consecutive: 0 });
  expect((await ana.channels.removeMember(channel_id, "ben")).username).toBe("ben");
  const { channel_id: open } = await ana.channels.create({ name: "Open" });
  await ben.channels.join(open);
  await ben.channels.leave(open);
  expect((await ana.channels.delete(open)).channel_id).toBe(open);
});

test("calls for read marks and direct conversations return what the server stored", async () => {
  const [ana, ben] = [await person("ana"), await person("ben")];
  const opened = await ana.channels.openDirect("ben");
  const { channel_id } = await ben.channels.openDirect("ana");
  expect(channel_id).toBe(opened.channel_id);
  const first = await ana.messages.send({ channel_id, content: "Ben?" });
  const { seq } = await ana.messages.send({ channel_id, content: "Are you there?" });
  expect((await ben.channels.get(channel_id)).channel).toMatchObject({ direct_with: "ana", unread_count: 2 });
  expect(await ben.channels.markRead(channel_id, first.seq)).toMatchObject({
    last_read_seq: first.seq,
    unread_count: 1,
  });
  expect(await ben.channels.markRead(channel_id)).toMatchObject({ last_read_seq: seq, unread_count: 0 });
});

test("calls for messages and pins return what the server stored", async () => {
  const ana = await person("ana");
  const { channel_id } = await ana.channels.create({ name: "Notes" });
  const first = await ana.messages.send({ channel_id, content: "one" });
  expect(first.chat_message.client_msg_id).toMatch(/^[0-9a-f]{32}$/);
  await ana.messages.sendMany({ channel_id, messages: [2, 3, 4, 5].map((n) => ({ content: `number ${n}` })) });
  expect((await ana.messages.edit(first.message_id, "one!")).chat_message.content).toBe("one!");
  expect((await ana.messages.pin(first.message_id)).is_pinned).toBe(true);
  expect((await ana.channels.pins(channel_id)).messages.map(({ id }) => id)).toEqual([first.message_id]);
  expect((await ana.messages.unpin(first.message_id)).is_pinned).toBe(false);
  expect((await ana.channels.keyboards(channel_id)).messages).toEqual([]);
  await ana.messages.delete(first.message_id);
  const page = await ana.messages.list({ channel_id: "notes", limit: 2 });
  expect(page).toMatchObject({ has_more: true, limit: 2 });
  const all = await Array.fromAsync(ana.messages.list({ channel_id: "notes", after_seq: 0, limit: 2 }));
  expect(all.map(({ content }) => content)).toEqual(["", "number 2", "number 3", "number 4", "number 5"]);
  expect(all[0]?.is_deleted).toBe(true);
});

test("calls for search return the matching messages", async () => {
  const ana = await person("ana");
  const { message_id } = await ana.messages.send({ channel_slug: "general", content: "Wo ist die Größe?" });
  await searchConsumer(calls.server.ctx).flush();
  const { messages, has_more } = await ana.messages.search({ q: "grosse", username: "ana" });
  expect(messages.map(({ id, highlights }) => [id, highlights])).toEqual([[message_id, [{ offset: 11, length: 5 }]]]);
  expect(has_more).toBe(false);
  await expect(ana.messages.search({ q: "?" })).rejects.toMatchObject({ code: "invalid_query", status: 400 });
});

test("calls for reactions and reports return what the server stored", async () => {
  const [ana, ben] = [await person("ana"), await person("ben")];
  const { message_id } = await ana.messages.send({ channel_slug: "general", content: "cake?" });
  expect((await ben.messages.react(message_id, "❤")).reactions).toEqual([{ reaction: "❤️", count: 1, me: true }]);
  expect((await ana.messages.react(message_id, "like")).reactions).toEqual([
    { reaction: "❤️", count: 1, me: false },
    { reaction: "like", count: 1, me: true },
  ]);
  expect((await ben.messages.unreact(message_id, "❤️")).reactions).toHaveLength(1);
  const { report_id } = await ben.messages.report(message_id, "too sweet");
  expect(await ben.messages.report(message_id, "too sweet")).toMatchObject({ report_id, deduplicated: true });
});

test("calls for stickers return what the server stored", async () => {
  const [ana, ben] = [await person("ana"), await person("ben")];
  const gif = stillGif(3, 2);
  const { sticker, sticker_id } = await ana.stickers.upload(gif, "wave");
  expect(sticker).toMatchObject({ sticker_name: "wave", username: "ana", width: 3, height: 2 });
  expect(await ana.stickers.upload(gif)).toMatchObject({ sticker_id, deduplicated: true });
  const named = await ana.stickers.upload(new File([stillGif(1, 1)], "nod.gif"));
  expect(named.sticker.sticker_name).toBe("nod");
  expect((await ben.stickers.list("ana")).stickers).toEqual([sticker, named.sticker]);
  const { chat_message } = await ben.messages.send({ channel_slug: "general", sticker_id });
  expect(chat_message).toMatchObject({ type: "sticker", sticker });
  expect((await ana.stickers.remove(sticker_id)).sticker_id).toBe(sticker_id);
  expect((await ana.stickers.list()).stickers).toEqual([named.sticker]);
  expect(await ben.stickers.file(sticker_id)).toEqual({ bytes: gif, type: "image/gif" });
  expect((await fetch(ben.stickers.fileUrl(sticker_id))).status).toBe(200);
  await expect(ben.stickers.upload(new Uint8Array(9))).rejects.toMatchObject({ code: "not_a_gif", status: 415 });
});

test("calls that an agent makes return what the server stored", async () => {
  const { apiKey } = await calls.server.agent("Scout");
  const scout = new ParleyClient({ url: calls.server.url, apiKey });
  const ana = await person("ana");
  const { last_seq, users } = await scout.agent.login({ channel_slug: "general", agent_name: "Scout" });
  expect(users).toMatchObject([{ kind: "agent", name: "Scout" }]);
  const waiting = scout.agent.messages({ channel_slug: "general", after_seq: last_seq, wait: 10 });
  const mention = scout.agent.mentions({ mark_read: false, wait: 10 });
  const stop = new AbortController();
  const heard: string[] = [];
  const listening = (async () => {
    for await (const { event } of scout.agent.events({ signal: stop.signal })) {
      heard.push(event);
      if (heard.includes("mention:new") && heard.includes("message:new")) stop.abort();
    }
  })();
  const sent = await ana.messages.send({ channel_slug: "general", content: "@Scout, are you there?" });
  expect((await waiting).messages.map(({ id }) => id)).toEqual([sent.message_id]);
  const { mentions } = await mention;
  expect(mentions.map(({ message_id }) => message_id)).toEqual([sent.message_id]);
  expect(await scout.agent.ackMentions({ mention_ids: [mentions[0]?.mention_id ?? 0] })).toMatchObject({
    acknowledged: 1,
    remaining: 0,
  });
  const reply = await scout.agent.send({ channel_slug: "general", agent_name: "Scout", message: "I am." });
  expect(reply.seq).toBe(sent.seq + 1);
  await listening;
  const typing = { channel_slug: "general", agent_name: "Scout", typing: true };
  expect(await scout.agent.typing(typing)).toMatchObject(typing);
  expect((await scout.agent.logout()).was_online).toBe(true);
});

test("calls for key claims and the owner's control return what the server stored", async () => {
  await using world = await ClaimWorld.start({ claimStrict: true });
  const { url } = world.server;
  const [visitor, ana] = [new ParleyClient({ url }), new ParleyClient({ url })];
  await ana.accounts.register({ username: "ana", password: PASSWORD });
  const posted = (given: VerificationCodeResponse, handle = "eve.example.com") => ({
    tweet_url: world.posts.write({ network: "bluesky", handle, text: given.post_template }),
    verification_code: given.verification_code,
    claim_token: given.claim_token,
  });
  expect(await ana.claims.networks()).toMatchObject({ networks: [{ provider: "x" }, {}, {}], username: "ana" });
  const claimed = await visitor.claims.redeem(posted(await visitor.claims.getCode()), { xUsername: "ana" });
  expect(claimed).toMatchObject({ username: "ana", owner_verified: false });
  expect((await visitor.claims.status("ANA")).has_key).toBe(true);

  const agent = new ParleyClient({ url, apiKey: claimed.api_key });
  const rotated = await agent.claims.rotate({ grace_seconds: 60 });
  expect(rotated.agent_id).toBe(claimed.agent_id);
  await agent.claims.revoke(rotated.key_id);
  const lost = await visitor.claims.getCode({ purpose: "recover", agent_id: claimed.agent_id });
  // Another process, which has only the token.
  const recovered = await new ParleyClient({ url }).claims.recover(posted(lost));
  expect(recovered.agent_id).toBe(claimed.agent_id);

  expect((await ana.agents.list()).agents).toMatchObject([{ agent_id: claimed.agent_id, keys: null }]);
  await expect(ana.agents.pause(claimed.agent_id)).rejects.toMatchObject({ code: "forbidden" });
  expect((await ana.agents.disown(claimed.agent_id)).agent.owner_username).toBeNull();

  const own = await ana.claims.redeem(posted(await ana.claims.getCode(), "ana.example.com"));
  expect(own).toMatchObject({ username: "ana", owner_verified: true });
  expect((await ana.claims.status("ana")).keys?.map(({ key_id }) => key_id)).toEqual([own.key_id]);
  expect((await ana.agents.pause(own.agent_id)).agent.paused).toBe(true);
  expect((await ana.agents.resume(own.agent_id)).agent.paused).toBe(false);
  expect((await ana.accounts.sessions()).sessions).toHaveLength(1);
});

test("an error carries every field of the response", async () => {
  const guest = new ParleyClient({ url: calls.server.url });
  const error = await guest.messages.list({ channel_id: "nowhere" }).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(ParleyError);
  expect(error).toMatchObject({
    code: "channel_not_found",
    status: 404,
    message: "This channel doesn't exist, or you don't have access.",
  });
  expect((error as ParleyError).requestId).toMatch(/-/);
  await expect(guest.channels.list({ limit: 0 })).rejects.toMatchObject({ code: "invalid_limit", status: 400 });
  await expect(guest.accounts.register({ username: "x", password: "y" })).rejects.toMatchObject({
    code: "invalid_username",
  });
});

/** Runs last: checks the calls that the tests above have made. */
test("every endpoint has a method in the SDK", () => {
  const others = "MCP,Live,Red packets,Payments,Operation,Documents,Documents for agents,Web page".split(",");
  const endpoints = allRoutes().filter(({ tag }) => !others.includes(tag));
  const missing = endpoints
    .map(({ method, path }) => `${method} ${path}`)
    .filter((name) => !WITHOUT_METHOD.has(name) && !calls.asked.has(name));
  expect(missing).toEqual([]);
});
