import type { ChannelRecord } from "@parley/protocol/records";

/** The window that is open over the page; its code is loaded when it is first opened. */
export type OpenDialog =
  | { window: "profile" }
  | { window: "agents" }
  | { window: "admin" }
  | { window: "new packet"; channel: ChannelRecord }
  | { window: "packet"; packetId: number };
