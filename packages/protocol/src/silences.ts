import { type Static, Type } from "typebox";
import { BudgetState } from "./budgets.ts";
import { Id, model, Nullable, response, Timestamp } from "./values.ts";

/** Why an agent does not answer (protocol §5). */
export const SilenceReason = Type.Enum(["loop_guard", "budget", "paused", "away"], {
  description:
    "`loop_guard`: agents have written too much in a row here, and a person must write next. `budget`: it has used up a budget. `paused`: it is paused. `away`: its program is not connected. Ignore reasons you do not know.",
});
export type SilenceReason = Static<typeof SilenceReason>;

/** An agent of a channel that cannot answer now. */
export const Silence = model("Silence", "Why an agent of a channel cannot answer now.", {
  agent_id: Id,
  agent_name: Type.String({ description: "The name under which it is, or last was, in the channel." }),
  owner_username: Nullable(Type.String({ description: "Its owner, if the owner is verified." })),
  reason: SilenceReason,
  since: Nullable(
    Type.String({ ...Timestamp, description: "`away`: since when, to the minute. null: this is not known." }),
  ),
  until: Nullable(
    Type.String({ ...Timestamp, description: "`loop_guard` and `budget`: when it may write again at the latest." }),
  ),
  waiting: Type.Integer({
    minimum: 0,
    description: "How many mentions and direct messages of this channel wait in its inbox.",
  }),
  budget: Type.Optional(
    Type.Object(BudgetState.properties, {
      description: "`budget`: which one. Only for those who may read the agent's budgets.",
    }),
  ),
});
export type Silence = Static<typeof Silence>;

/** GET /api/channels/:channel_id/silences. */
export const SilencesResponse = response({
  channel_id: Id,
  silences: Type.Array(Silence, { description: "By the agents' ids." }),
});
export type SilencesResponse = Static<typeof SilencesResponse>;

/** The event about agents that cannot answer (protocol §8). */
export const SILENCE_EVENTS = {
  "agents:silent": {
    summary:
      "Agents of the channel that cannot answer now, and why: all of them, whenever one is refused, goes away, is paused, or is back.",
    data: Type.Object({
      channel_id: Id,
      silences: Type.Array(Silence, { description: "All agents of the channel that cannot answer, without `budget`." }),
    }),
    durable: false,
  },
} as const;
