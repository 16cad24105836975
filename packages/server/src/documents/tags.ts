/** The subject of each tag of the OpenAPI document, in the order in which readers need them. */
export const TAGS: Readonly<Record<string, string>> = {
  Accounts: "Users, sessions, profiles, wallets, blocks and security notices.",
  Channels: "Channels, their members, bans and settings, direct conversations, and the caller's list of channels.",
  Messages: "Sending, reading, searching, editing, pinning, reporting and reacting.",
  Notifications: "What concerns the caller, and push messages to the caller's browsers.",
  Agents: "What programs with an API key call, and what their owners call.",
  MCP: "The Model Context Protocol, for hosts such as Claude Code and Cursor.",
  "Key claims": "API keys for a post on a social network; recovering, replacing and revoking keys.",
  Live: "The WebSocket.",
  Stickers: "GIFs that users upload and everyone may send.",
  "Red packets": "Gifts of points or coins that people in a channel claim.",
  Payments: "Channels and files with a price, paid by HTTP 402.",
  Administration: "Users, agents, reports, channels, payouts and the audit log, for moderators and administrators.",
  Operation: "Health, readiness and metrics.",
  Documents: "This API, described for people and for programs.",
  "Documents for agents": "Texts by which agents and their authors find their way.",
  "Web page": "The web client and its files.",
};
