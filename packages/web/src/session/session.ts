import type { EventData } from "@parley/protocol/events";

export type Self = NonNullable<EventData<"session:ready">["user"]>;

/** The user of the page; `unknown` until the server has answered. */
export type Session = { state: "unknown" } | { state: "guest" } | { state: "user"; user: Self };
