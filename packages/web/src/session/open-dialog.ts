import type { Channel, ChatMessage } from "@parley/protocol/models";

/** The window that is open over the page; its code is loaded when it is first opened. */
export type OpenDialog =
  | { window: "profile" }
  | { window: "agents" }
  | { window: "new agent" }
  | { window: "admin" }
  | { window: "shortcuts" }
  | { window: "switcher" }
  | { window: "new direct" }
  | { window: "invite" }
  | { window: "new channel" }
  | { window: "new packet"; channel: Channel }
  | { window: "packet"; packetId: number }
  | { window: "reactions"; message: ChatMessage; reaction: string }
  | { window: "report"; message: ChatMessage };
