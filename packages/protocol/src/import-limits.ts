/** The kinds of things that an import counts, in the order in which they are shown (protocol §14.0). */
export const IMPORT_KINDS = [
  "users",
  "agents",
  "channels",
  "messages",
  "replies",
  "reactions",
  "pins",
  "files",
  "mentions",
] as const;
export type ImportKind = (typeof IMPORT_KINDS)[number];

/** The most imports in an answer, newest first. */
export const IMPORTS_SHOWN_MAX = 100;

/** The most channels that a link which claims an account shows. */
export const CLAIM_CHANNELS_MAX = 50;
