import { evmWallet } from "../chains/wallets.ts";
import { stillGif } from "../gifs.ts";
import { pushKeys } from "../push-keys.ts";
import { form } from "../stickers.ts";
import * as of from "./belongings.ts";
import * as brought from "./brought-agents.ts";
import * as hooks from "./hooks.ts";
import * as inbox from "./inbox.ts";
import * as logins from "./logins.ts";
import * as on from "./objects.ts";
import { nameOf, PASSWORD_OF_ALL } from "./people.ts";
import { body, changes, endsCaller, json, page, query, type Recipe, reads, type Say } from "./recipe.ts";
import * as rooms from "./room-recipes.ts";
import { PRICE } from "./world.ts";

const inHistory = [reads("read history", on.channel)];
const named: Say = ({ username = "" }) => ({ params: { name: username } });
/** A browser whose push service is on the public internet, named without a name to resolve. */
const browserKeys = (name: string) => ({ endpoint: `https://8.8.8.8/${name}`, keys: pushKeys() });
const member = { params: { username: "author" } };
const later = "2100-01-01T00:00:00.000Z";
const claim: Say = ({ cookie, ...rest }) => ({
  body: rest,
  ...(cookie === undefined ? {} : { cookie: String(cookie) }),
});

/** Recipes for every route, by `METHOD path`: a valid call for each of its acts. */
export const ROUTES: Readonly<Record<string, readonly Recipe[]>> = {
  "POST /api/auth/register": [
    reads("register", on.nothing, (_, fresh) => ({ body: { username: fresh(), password: PASSWORD_OF_ALL } })),
  ],
  "GET /api/invitations/:code": [reads("register", of.invitation)],
  "POST /api/auth/login": [reads("log in", on.nothing, json({ username: nameOf("user"), password: PASSWORD_OF_ALL }))],
  // The link is invented, because a real one works once; test/accounts/reset-links.test.ts uses real ones.
  "POST /api/auth/reset": [
    reads("use reset link", on.nothing, json({ token: "A".repeat(43), password: PASSWORD_OF_ALL })),
  ],
  ...logins.recipes,
  "GET /api/security-notices": [reads("own security notices")],
  "POST /api/security-notices/dismiss": [reads("own security notices", on.nothing, json({ up_to_notice_id: 1 }))],
  "GET /api/blocks": [reads("own blocks")],
  "PUT /api/blocks/:name": [reads("block", of.user, named)],
  "DELETE /api/blocks/:name": [reads("block", of.user, named)],
  "GET /api/notifications": [reads("own notifications")],
  "POST /api/notifications/read": [reads("own notifications", on.nothing, json({ up_to_id: 1 }))],
  "POST /api/read": [reads("own notifications")],
  "GET /api/push/key": [reads("own notifications")],
  "GET /api/push/subscriptions": [reads("own notifications")],
  "POST /api/push/subscriptions": [
    reads("own notifications", on.nothing, (_, fresh) => ({ body: browserKeys(fresh()) })),
  ],
  "DELETE /api/push/subscriptions/:subscription_id": [reads("end push subscription", of.pushSubscription)],
  "GET /api/notifications/settings": [reads("own channel preferences")],
  "PUT /api/notifications/settings": [reads("own channel preferences", on.nothing, json({ default: "mentions" }))],
  "GET /api/sidebar": [reads("own channel preferences")],
  "PUT /api/sidebar": [reads("own channel preferences", on.nothing, json({ sorting: "name" }))],
  "GET /api/user/:username": [reads("read profiles", of.user)],
  "PUT /api/user/:username": [reads("update user", of.rankedUser, json({ avatar: null }))],
  "GET /api/user/:username/export": [reads("copy own data", of.user)],
  "DELETE /api/user/:username": [endsCaller("delete account", of.rankedUser, json({ password: PASSWORD_OF_ALL }))],
  "POST /api/user/:username/wallets/challenge": [
    reads("prove wallet", of.user, json({ chain: "evm", address: evmWallet().address })),
  ],
  "POST /api/user/:username/wallets/proof": [reads("prove wallet", of.signature, body(["challenge_id", "signature"]))],
  "GET /api/avatars": [reads("read profiles", on.nothing, () => ({ query: { usernames: "nobody" } }))],
  "GET /api/profiles": [reads("read profiles", on.nothing, () => ({ query: { usernames: "nobody" } }))],
  "DELETE /api/user/:username/display-name": [reads("clear profile", of.rankedUser)],
  "GET /api/presence": [reads("read profiles", on.nothing, () => ({ query: { usernames: "nobody" } }))],
  "GET /api/users": [reads("find users", on.nothing, () => ({ query: { prefix: "no" } }))],
  "GET /api/user/:username/avatar": [reads("read profiles", of.pictured)],
  "GET /api/user/:username/honor": [reads("read profiles", of.user)],
  "GET /api/user/:username/points": [reads("read points", of.user)],

  "GET /api/channels": [reads("list channels")],
  "POST /api/channels": [reads("create channel", on.nothing, (_, fresh) => ({ body: { name: fresh() } }))],
  "GET /api/channels/:channel_id": inHistory,
  "PUT /api/channels/:channel_id": [
    reads("update channel", on.channel, json({ topic: "tea" })),
    reads("limit age", on.channel, json({ keep_pinned: true })),
    reads("rule approvals", on.channel, json({ approval_rule: null })),
    changes("hand over channel", on.channel, json({ owner_username: "author" })),
  ],
  "DELETE /api/channels/:channel_id": [changes("delete channel", on.channel)],
  "GET /api/channels/:channel_id/export": [reads("copy channel", on.channel)],
  "POST /api/channels/:channel_id/export": [reads("copy channel", on.channel)],
  "POST /api/channels/:channel_id/join": [
    changes("join channel", on.door, ({ password }) => (password === undefined ? {} : { body: { password } })),
  ],
  "POST /api/channels/:channel_id/leave": [changes("leave channel", on.channel)],
  "GET /api/channels/:channel_id/members": inHistory,
  "GET /api/channels/:channel_id/online": inHistory,
  "GET /api/channels/:channel_id/guard": inHistory,
  "GET /api/channels/:channel_id/silences": inHistory,
  "GET /api/channels/:channel_id/pins": inHistory,
  "GET /api/channels/:channel_id/keyboards": inHistory,
  "DELETE /api/channels/:channel_id/guard": [reads("moderate", on.channel)],
  "PUT /api/channels/:channel_id/members/:username": [
    changes("moderate", on.channel, () => ({ ...member, body: { muted_until: later } })),
    changes("give roles", on.channel, () => ({ ...member, body: { role: "admin" } })),
  ],
  "DELETE /api/channels/:channel_id/members/:username": [changes("moderate", on.channel, () => member)],
  "POST /api/channels/:channel_id/bans": [changes("moderate", on.channel, json({ username: "author" }))],
  "GET /api/channels/:channel_id/bans": [reads("moderate", on.channel)],
  "DELETE /api/channels/:channel_id/bans/:name": [
    changes("moderate", on.channel, () => ({ params: { name: nameOf("banned") } })),
  ],
  "POST /api/channels/:channel_id/read": [reads("mark as read", on.channel)],
  "POST /api/channels/:channel_id/unread": [reads("mark as read", on.channel, json({ seq: 1 }))],
  "POST /api/direct": [
    reads("open conversation", of.user, body(["username"])),
    reads("talk with agent", of.namedAgent, body(["agent_name"])),
  ],
  "GET /api/messages": [reads("read history", on.channel, query("channel_id"))],
  "POST /api/messages": [changes("send", on.channel, body(["channel_id"], { content: "hello" }))],
  "POST /api/messages/send-many": [
    changes("send", on.channel, body(["channel_id"], { messages: [{ content: "one" }, { content: "two" }] })),
  ],
  "PUT /api/messages/:messageId": [changes("edit message", on.message, json({ content: "hello again" }))],
  "DELETE /api/messages/:messageId": [changes("delete message", on.message)],
  "POST /api/messages/:messageId/pin": [changes("pin", on.pinnable)],
  "POST /api/messages/:messageId/unpin": [changes("pin", on.pinned)],
  "GET /api/messages/:messageId/reactions/:reaction": [
    reads("read history", on.message, () => ({ params: { reaction: "like" } })),
  ],
  "PUT /api/messages/:messageId/reactions/:reaction": [
    changes("react", on.message, () => ({ params: { reaction: "like" } })),
  ],
  "DELETE /api/messages/:messageId/reactions/:reaction": [
    reads("take back reaction", on.message, () => ({ params: { reaction: "like" } })),
  ],
  "GET /api/messages/:messageId/thread": [reads("read history", on.message)],
  "GET /api/threads": [reads("own threads")],
  "PUT /api/messages/:messageId/thread/follow": [reads("follow thread", on.message)],
  "DELETE /api/messages/:messageId/thread/follow": [reads("follow thread", on.message)],
  "POST /api/messages/:messageId/thread/read": [reads("follow thread", on.message, json({ seq: 1 }))],
  "POST /api/messages/:messageId/thread/unread": [reads("follow thread", on.message, json({ seq: 1 }))],
  "PUT /api/messages/:messageId/thread": [changes("lock thread", on.message, json({ is_locked: true }))],
  "POST /api/messages/:messageId/report": [reads("report message", on.message, json({ reason: "spam" }))],
  "GET /api/search/messages": [
    reads("read history", on.channel, ({ channel_id = "" }) => ({
      query: { q: "said", channel_id: String(channel_id) },
    })),
    // Searches for text in closed channels, which outsiders must not find.
    reads("read history", on.whatWasSaid, () => ({ query: { q: "closed" } })),
    reads("read history", on.whatWasSaid, () => ({ query: { q: "money" } })),
    reads("read history", on.whatWasSaid, () => ({ query: { q: "between" } })),
  ],

  "POST /api/red-packets": [
    changes("create packet", on.channel, body(["channel_id"], { total_amount: "10", count: 10 })),
  ],
  "GET /api/red-packets": [reads("read history", on.channel, query("channel_id"))],
  "GET /api/red-packets/:packet_id": [reads("read history", on.packet)],
  "POST /api/red-packets/:packet_id/claim": [changes("claim packet", on.packet)],
  "POST /api/red-packets/:packet_id/fund": [reads("fund packet", on.packet, json({ tx_hash: `0x${"ab".repeat(32)}` }))],
  "POST /api/red-packets/:packet_id/cancel": [reads("cancel packet", on.packet)],

  "GET /api/interactions/:interaction_id": [reads("read card", on.card)],
  "POST /api/interactions/:interaction_id/press": [changes("press card", on.card, json({ action_id: "ok" }))],
  "POST /api/interactions/:interaction_id/cancel": [reads("cancel card", on.ownCard)],
  "GET /.well-known/parley-keys.json": page,

  "GET /api/paid/:resource_slug": [reads("buy resource", of.offer)],
  "POST /api/paid/:resource_slug": [reads("buy resource", of.offer)],

  "POST /api/stickers/upload": [
    reads("upload sticker", on.nothing, (_, fresh) => ({ form: form(stillGif(1, 1, fresh())) })),
  ],
  "POST /api/files": [
    reads("upload file", on.nothing, (_, fresh) => ({ form: form(new TextEncoder().encode(fresh())) })),
  ],
  "GET /api/files/:file_id": [reads("read files", of.unsentFile)],
  "GET /api/files/:file_id/record": [reads("read files", of.unsentFile)],
  "GET /api/files/:file_id/preview": [reads("read files", of.unsentFile)],
  "PUT /api/files/:file_id": [reads("describe file", of.unsentFile, json({ alt_text: "words" }))],
  "DELETE /api/files/:file_id": [reads("delete unsent file", of.unsentFile)],
  "GET /api/channels/:channel_id/files": inHistory,
  "GET /api/stickers": [reads("read stickers", of.user, query("username"))],
  "DELETE /api/stickers/:sticker_id": [reads("delete sticker", of.sticker)],
  "GET /api/stickers/:sticker_id/file": [reads("read stickers", of.sticker)],

  ...hooks.ROUTES,
  ...rooms.ROUTES,

  "POST /api/agenthub/login": [
    reads("log agent in", on.channel, body(["channel_slug"], { agent_name: "PlatformAgent" })),
  ],
  "POST /api/agenthub/logout": [reads("log agent out", on.channel, body(["channel_slug"]))],
  "POST /api/agenthub/typing": [reads("send as agent", on.channel, body(["channel_slug"], { typing: true }))],
  "POST /api/agenthub/send": [reads("send as agent", on.channel, body(["channel_slug"], { message: "hello" }))],
  "POST /api/agenthub/send-many": [
    reads("send as agent", on.channel, body(["channel_slug"], { messages: [{ message: "one" }, { message: "two" }] })),
  ],
  "GET /api/agenthub/messages": [reads("read as agent", on.channel, query("channel_slug"))],
  "GET /api/agenthub/mentions": [
    reads("read own mentions"),
    reads("read own mentions", on.channel, query("channel_slug")),
  ],
  "POST /api/agenthub/mentions/ack": [reads("read own mentions", on.nothing, json({ mention_ids: [1] }))],
  ...inbox.ROUTES,
  "GET /api/agenthub/events": [reads("stream own events")],
  "POST /mcp": [
    reads("talk by MCP", on.nothing, () => ({
      body: { jsonrpc: "2.0", id: 1, method: "tools/list" },
      headers: { accept: "application/json, text/event-stream" },
    })),
  ],

  "GET /api/agenthub/agent-api-key/networks": page,
  "GET /api/agenthub/agent-api-key/verification-code": [reads("get verification code")],
  "POST /api/agenthub/agent-api-key/verify-tweet": [reads("claim key", of.code, claim)],
  "POST /api/agenthub/agent-api-key/recover": [reads("recover key", of.claimedCode, claim)],
  "GET /api/agenthub/agent-api-key": [
    reads("ask for keys", on.nothing, () => ({ headers: { "x-username": "author" } })),
  ],
  "POST /api/agenthub/agent-api-key/rotate": [
    reads("rotate key", of.agent, body(["agent_id"], { grace_seconds: 86_400 })),
  ],
  "DELETE /api/agenthub/agent-api-key/:key_id": [reads("revoke key", of.key)],
  "GET /api/agent/:agent_name": [
    reads("read profiles", on.nothing, () => ({ params: { agent_name: nameOf("agent") } })),
  ],
  "GET /api/agents": [reads("list own agents")],
  "POST /api/agents": [reads("create agent", on.nothing, (_, fresh) => ({ body: { agent_name: fresh() } }))],
  ...brought.ROUTES,
  "PUT /api/agents/:agent_id": [
    reads("pause agent", of.agent, json({ paused: true })),
    reads("choose who talks with agent", of.agent, json({ dm_policy: "everyone" })),
    reads("choose who talks with agent", of.agent, json({ telegram_privacy: false })),
  ],
  "GET /api/agents/:agent_id/budgets": [reads("see budgets", of.agent)],
  "PUT /api/agents/:agent_id/budgets": [
    reads("set budgets", of.agent, json({ messages_per_day: 1_000_000 })),
    reads("set ceilings", of.agent, json({ ceilings: { messages_per_day: 1_000_000 } })),
  ],
  "GET /api/agents/:agent_id/usage": [reads("see budgets", of.agent)],
  "DELETE /api/agents/:agent_id/owner": [reads("disown agent", of.agent)],

  "GET /api/admin/users": [reads("list users")],
  "GET /api/admin/agents": [reads("list agents")],
  "PUT /api/admin/users/:username": [
    reads("suspend user", of.rankedUser, json({ suspended_until: later })),
    reads("give level", of.rankedUser, json({ admin_level: 1 })),
  ],
  "POST /api/admin/users/:username/reset-link": [
    reads("make reset link", of.rankedUser, json({ current_password: PASSWORD_OF_ALL })),
  ],
  "GET /api/admin/reports": [reads("handle reports")],
  "PUT /api/admin/reports/:report_id": [reads("handle reports", of.report, json({ status: "resolved" }))],
  "GET /api/admin/channels": [reads("restore channel")],
  "POST /api/admin/channels/:channel_id/restore": [reads("restore channel", of.deletedChannel)],
  "PUT /api/admin/channels/:channel_id/hold": [
    reads("hold channel", of.deletedChannel, json({ until: later, reason: "a lawsuit" })),
  ],
  "GET /api/admin/audit": [reads("read audit log")],
  "GET /api/admin/paid": [reads("sell resources")],
  "POST /api/admin/paid": [
    reads("sell resources", on.nothing, (_, fresh) => ({ body: { slug: fresh(), price: PRICE, text: "for money" } })),
  ],
  "DELETE /api/admin/paid/:slug": [reads("sell resources", of.offer)],
  "GET /api/admin/payments": [reads("see payments")],
  "GET /api/admin/payments/totals": [reads("see payments")],
  "GET /api/admin/payouts": [reads("handle payouts")],
  "POST /api/admin/payouts/:payout_id/retry": [reads("handle payouts", of.payout)],

  "GET /api/chains": page,
  "GET /livez": page,
  "GET /readyz": page,
  "GET /metrics": [reads("read metrics")],
  "GET /api/admin/health": [reads("see health")],
  "GET /api/admin/metrics": [reads("see health")],
  "GET /api/admin/setup": [reads("see health")],
  "GET /api/site": page,
  "GET /join": page,
  "GET /reset": page,
  "GET /setup": page,
  "GET /api": page,
  "GET /api/openapi.json": page,
  "GET /api/asyncapi.json": page,
  "GET /docs": page,
  "GET /docs/events": page,
  "GET /docs/assets/:file": [reads("see the service", on.nothing, () => ({ params: { file: "style.css" } }))],
  "GET /llms.txt": page,
  "GET /llms-full.txt": page,
  "GET /skill.md": page,
  "GET /robots.txt": page,
  "GET /.well-known/agent-skills/index.json": page,
  "GET /.well-known/agent-skills/parley/SKILL.md": page,
  "GET /.well-known/api-catalog": page,
  "GET /guide/:file": [reads("see the service", on.nothing, () => ({ params: { file: "agents.md" } }))],
  "GET /": page,
  "GET /claim": page,
  "GET /assets/:file": [reads("see the service", of.asset)],
  "GET /favicon.ico": page,
  "GET /manifest.webmanifest": page,
  "GET /sw.js": page,
  "GET /icons/:file": [reads("see the service", on.nothing, () => ({ params: { file: "badge.png" } }))],
};
