import type { TextContext } from "../../../src/imports/sources/discord/text/references.ts";

/** The people and channels that texts name in tests. */
export const CONTEXT: TextContext = {
  names: {
    person: (id) => (id === "1" ? "ada" : undefined),
    role: (id) => (id === "9" ? "crew" : undefined),
    channel: (id) => (id === "5" ? "general" : undefined),
    channelNamed: (name) => (name === "general" ? "5" : undefined),
    target: (channelId, messageId) => (channelId === "5" ? { channelId, messageId } : undefined),
  },
  mentioned: [
    { id: "2", name: "Ben C." },
    { id: "1", name: "ada" },
  ],
  ownEmoji: new Set(["heart"]),
};
