import { type Static, Type } from "typebox";
import { POLL_OPTIONS_MAX, POLL_OPTIONS_MIN, POLL_VOTERS_SHOWN } from "./poll-limits.ts";
import { Id, model, Nullable, Timestamp } from "./values.ts";

/** The number of an option within its poll, from 1. */
export const OptionId = Type.Integer({ minimum: 1, maximum: POLL_OPTIONS_MAX });

const PollOption = Type.Object({
  option_id: OptionId,
  text: Type.String(),
  count: Type.Integer({ minimum: 0, description: "How many people have chosen it." }),
  voters: Nullable(
    Type.Array(Type.Object({ username: Type.String() }), {
      maxItems: POLL_VOTERS_SHOWN,
      description: "The first 20 people who chose it; null: the poll is anonymous.",
    }),
  ),
});

/** A question with options for which people vote (protocol §13.7). */
export const Poll = model("Poll", "A question with options for which people vote.", {
  poll_id: Type.Integer({ ...Id, description: "The id of the message that shows the poll." }),
  question: Type.String(),
  options: Type.Array(PollOption, { minItems: POLL_OPTIONS_MIN, maxItems: POLL_OPTIONS_MAX }),
  multiple: Type.Boolean({ description: "A person may choose several options." }),
  anonymous: Type.Boolean({ description: "Nobody learns who chose what." }),
  total_voters: Type.Integer({ minimum: 0, description: "How many people have voted." }),
  my_votes: Nullable(
    Type.Array(OptionId, {
      description:
        "The options that the reader has chosen. null in events and for guests and agents: it says nothing about the reader.",
    }),
  ),
  status: Type.Enum(["open", "closed"]),
  closes_at: Nullable(Type.String({ ...Timestamp, description: "When it closes by itself; null: it does not." })),
});
export type Poll = Static<typeof Poll>;

/** The field of a message of the type `poll`. */
export const pollField = { poll: Type.Optional(Poll) };

/** The events of polls, a part of `EVENTS` (events.ts). */
export const POLL_EVENTS = {
  "poll:update": {
    summary:
      "People have voted, changed their votes or withdrawn them, or the poll was closed. Votes that were stored together are one event. `poll` is the poll as it is now; `my_votes` is null.",
    data: Type.Object({ channel_id: Id, seq: Type.Integer({ minimum: 1 }), poll: Poll }),
    durable: true,
  },
  "poll:voted": {
    summary:
      "The user has voted in a poll, has changed their vote or has withdrawn it (an empty list). Sent to all sockets of the user, and to nobody else.",
    data: Type.Object({ channel_id: Id, poll_id: Id, option_ids: Type.Array(OptionId) }),
    durable: false,
  },
} as const;
