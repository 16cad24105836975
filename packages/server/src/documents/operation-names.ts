import type { Route } from "../http/route.ts";

/**
 * The operations of the OpenAPI document, named like the methods of the sdk. Generated clients have methods of these
 * names, so a name never changes.
 */
const NAMES: Readonly<Record<string, string>> = {
  "POST /api/user/:username/wallets/challenge": "challengeWallet",
  "POST /api/user/:username/wallets/proof": "proveWallet",
  "GET /api/security-notices": "listSecurityNotices",
  "POST /api/security-notices/dismiss": "dismissSecurityNotices",
  "GET /api/blocks": "listBlocks",
  "PUT /api/blocks/:name": "block",
  "DELETE /api/blocks/:name": "unblock",
  "GET /api/users": "findUsers",
  "GET /api/presence": "getPresence",
  "POST /api/auth/register": "register",
  "GET /api/invitations/:code": "getInvitation",
  "POST /api/auth/login": "login",
  "POST /api/auth/logout": "logout",
  "GET /api/auth/sessions": "listSessions",
  "DELETE /api/auth/sessions": "endOtherSessions",
  "DELETE /api/auth/sessions/:session_id": "endSession",
  "GET /api/user/:username": "getUser",
  "PUT /api/user/:username": "updateUser",
  "GET /api/avatars": "listAvatars",
  "GET /api/user/:username/avatar": "getAvatar",
  "GET /api/user/:username/export": "exportUser",
  "DELETE /api/user/:username": "deleteUser",
  "GET /api/user/:username/honor": "getHonor",
  "GET /api/user/:username/points": "listPoints",

  "GET /api/channels": "listChannels",
  "POST /api/channels": "createChannel",
  "GET /api/channels/:channel_id": "getChannel",
  "PUT /api/channels/:channel_id": "updateChannel",
  "DELETE /api/channels/:channel_id": "deleteChannel",
  "POST /api/channels/:channel_id/join": "joinChannel",
  "POST /api/channels/:channel_id/leave": "leaveChannel",
  "GET /api/channels/:channel_id/members": "listMembers",
  "GET /api/channels/:channel_id/online": "listOnline",
  "PUT /api/channels/:channel_id/members/:username": "setMember",
  "DELETE /api/channels/:channel_id/members/:username": "removeMember",
  "POST /api/channels/:channel_id/bans": "ban",
  "GET /api/channels/:channel_id/bans": "listBans",
  "DELETE /api/channels/:channel_id/bans/:name": "liftBan",
  "GET /api/channels/:channel_id/pins": "listPins",
  "GET /api/channels/:channel_id/guard": "getLoopGuard",
  "DELETE /api/channels/:channel_id/guard": "clearLoopGuard",
  "GET /api/channels/:channel_id/export": "exportChannel",
  "POST /api/channels/:channel_id/export": "exportPaidChannel",
  "POST /api/channels/:channel_id/read": "markRead",
  "POST /api/direct": "openDirect",
  "GET /api/notifications": "listNotifications",
  "POST /api/notifications/read": "markNotificationsAsRead",
  "GET /api/push/key": "getPushKey",
  "GET /api/push/subscriptions": "listPushSubscriptions",
  "POST /api/push/subscriptions": "subscribeToPush",
  "DELETE /api/push/subscriptions/:subscription_id": "unsubscribeFromPush",
  "GET /api/notifications/settings": "getNotificationSettings",
  "PUT /api/notifications/settings": "updateNotificationSettings",
  "GET /api/sidebar": "getSidebar",
  "PUT /api/sidebar": "updateSidebar",

  "GET /api/messages": "listMessages",
  "POST /api/messages": "sendMessage",
  "PUT /api/messages/:messageId": "editMessage",
  "DELETE /api/messages/:messageId": "deleteMessage",
  "POST /api/messages/:messageId/pin": "pinMessage",
  "POST /api/messages/:messageId/unpin": "unpinMessage",
  "GET /api/messages/:messageId/reactions/:reaction": "listReactors",
  "PUT /api/messages/:messageId/reactions/:reaction": "react",
  "DELETE /api/messages/:messageId/reactions/:reaction": "unreact",
  "POST /api/messages/:messageId/report": "reportMessage",
  "GET /api/search/messages": "searchMessages",

  "POST /api/stickers/upload": "uploadSticker",
  "GET /api/stickers": "listStickers",
  "DELETE /api/stickers/:sticker_id": "deleteSticker",
  "GET /api/stickers/:sticker_id/file": "getStickerFile",

  "POST /api/red-packets": "createRedPacket",
  "GET /api/red-packets": "listRedPackets",
  "GET /api/red-packets/:packet_id": "getRedPacket",
  "POST /api/red-packets/:packet_id/claim": "claimRedPacket",
  "POST /api/red-packets/:packet_id/fund": "fundRedPacket",
  "POST /api/red-packets/:packet_id/cancel": "cancelRedPacket",

  "POST /api/agenthub/login": "loginAgent",
  "POST /api/agenthub/logout": "logoutAgent",
  "POST /api/agenthub/send": "sendAgentMessage",
  "POST /api/agenthub/typing": "setAgentTyping",
  "GET /api/agenthub/messages": "listAgentMessages",
  "GET /api/agenthub/me": "getMe",
  "GET /api/agenthub/inbox": "listInbox",
  "POST /api/agenthub/inbox/ack": "ackInbox",
  "GET /api/agenthub/mentions": "listMentions",
  "POST /api/agenthub/mentions/ack": "ackMentions",
  "GET /api/agenthub/events": "streamAgentEvents",
  "POST /mcp": "callMcp",
  "GET /api/agent/:agent_name": "getAgentProfile",
  "GET /api/agents": "listAgents",
  "POST /api/agents": "createAgent",
  "PUT /api/agents/:agent_id": "updateAgent",
  "DELETE /api/agents/:agent_id/owner": "disownAgent",

  "GET /api/agenthub/agent-api-key/networks": "listClaimNetworks",
  "GET /api/agenthub/agent-api-key/verification-code": "getVerificationCode",
  "POST /api/agenthub/agent-api-key/verify-tweet": "redeemVerificationCode",
  "POST /api/agenthub/agent-api-key/recover": "recoverKey",
  "GET /api/agenthub/agent-api-key": "getKeyStatus",
  "POST /api/agenthub/agent-api-key/rotate": "rotateKey",
  "DELETE /api/agenthub/agent-api-key/:key_id": "revokeKey",

  "GET /api/admin/users": "listUsers",
  "PUT /api/admin/users/:username": "administerUser",
  "GET /api/admin/setup": "getSetup",
  "GET /api/admin/agents": "listAllAgents",
  "GET /api/admin/reports": "listReports",
  "PUT /api/admin/reports/:report_id": "closeReport",
  "GET /api/admin/channels": "listAllChannels",
  "POST /api/admin/channels/:channel_id/restore": "restoreChannel",
  "PUT /api/admin/channels/:channel_id/hold": "holdChannel",
  "GET /api/admin/audit": "listAudit",
  "GET /api/admin/payouts": "listPayouts",
  "POST /api/admin/payouts/:payout_id/retry": "retryPayout",
  "GET /api/admin/metrics": "getAdminMetrics",
  "GET /api/admin/health": "getHealth",

  "GET /api/chains": "listChains",
  "GET /api/paid/:resource_slug": "getPaidResource",
  "POST /api/paid/:resource_slug": "buyPaidResource",
  "POST /api/admin/paid": "createPaidResource",
  "GET /api/admin/paid": "listPaidResources",
  "DELETE /api/admin/paid/:slug": "deletePaidResource",
  "GET /api/admin/payments": "listPayments",
  "GET /api/admin/payments/totals": "getPaymentTotals",

  "GET /livez": "checkLive",
  "GET /readyz": "checkReady",
  "GET /metrics": "getMetrics",
  "GET /api/site": "getSite",

  "GET /api": "getApi",
  "GET /api/openapi.json": "getOpenApi",
  "GET /api/asyncapi.json": "getAsyncApi",
  "GET /docs": "getDocsPage",
  "GET /docs/events": "getEventsPage",
  "GET /docs/assets/:file": "getDocsAsset",
  "GET /llms.txt": "getLlmsTxt",
  "GET /llms-full.txt": "getLlmsFullTxt",
  "GET /skill.md": "getSkill",
  "GET /.well-known/agent-skills/index.json": "listSkills",
  "GET /.well-known/agent-skills/parley/SKILL.md": "getParleySkill",
  "GET /.well-known/api-catalog": "getApiCatalog",
  "GET /robots.txt": "getRobotsTxt",
  "GET /guide/:file": "getGuidePage",

  "GET /": "getChatPage",
  "GET /join": "getInvitationPage",
  "GET /claim": "getClaimPage",
  "GET /assets/:file": "getAsset",
  "GET /manifest.webmanifest": "getManifest",
  "GET /sw.js": "getServiceWorker",
  "GET /icons/:file": "getAppIcon",
  "GET /favicon.ico": "getIcon",
};

/** The routes that have a name, for the test that compares them with the product's. */
export const NAMED_ROUTES: readonly string[] = Object.keys(NAMES);

/** Returns the name of a route's operation. A route without one is named after its method and path. */
export function operationId({ method, path }: Pick<Route, "method" | "path">): string {
  return NAMES[`${method} ${path}`] ?? derivedName(method, path);
}

/** `PUT /api/things/:thing_id/parts` → `putThingsByThingIdParts`. */
function derivedName(method: string, path: string): string {
  const words = path
    .replace(/^\/api\//, "/")
    .replaceAll(":", "by_")
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "");
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}
