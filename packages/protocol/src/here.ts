import { Type } from "typebox";

/** The name by which a person calls everybody who is online in a channel (protocol §5). Nobody can have it. */
export const HERE = "here";

/** People whom one `@here` reaches at most. */
export const HERE_REACH_MAX = 5_000;

/** The members of a channel who may call everybody who is online there with `@here` (protocol §3, §5). */
export const HereBy = Type.Enum(["members", "admins"], {
  description: "Who calls everybody who is online, with `@here`.",
});

/** The kind of the one whom a mention names. */
export const MentionType = Type.Enum(["user", "agent", "here"], {
  description: "`here`: a user calls everybody who is online in the channel. Ignore types you do not know.",
});

/** The rates of `@here` (protocol §5), a part of `RATES`. */
export const HERE_RATES = {
  here: { name: "here", quota: 3, window: 60, store: "shared", counts: "messages with `@here`, per user" },
  hereInChannel: {
    name: "here-in-channel",
    quota: 10,
    window: 3_600,
    store: "shared",
    counts: "messages with `@here`, per channel",
  },
} as const;

/** Errors of `@here` (protocol §5), a part of `ERRORS`. */
export const HERE_ERRORS = {
  here_not_allowed: [403, "Only the channel's admins may call everybody with @here. Put it in backticks to write it."],
  here_rate_limited: [429, "Too many messages here call everybody with @here. Wait, or send it without."],
} as const;
