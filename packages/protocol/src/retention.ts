import { Type } from "typebox";
import { RETENTION_DAYS_MAX } from "./limits.ts";
import { Id, Nullable } from "./values.ts";

/** The days for which messages are kept (protocol §13.8). */
export const RetentionDays = Type.Integer({ minimum: 1, maximum: RETENTION_DAYS_MAX });

/** How long the channel keeps its messages (protocol §13.8). */
export const retentionFacts = {
  retention_days: Nullable(
    Type.Integer({
      ...RetentionDays,
      description: "The channel's own limit; null: the server's limit, if it has one.",
    }),
  ),
  effective_retention_days: Nullable(
    Type.Integer({
      ...RetentionDays,
      description: "Messages are deleted after this many days, by the channel's limit and the server's; null: never.",
    }),
  ),
  keep_pinned: Type.Boolean({ description: "true: pinned messages are kept." }),
  held_until: Nullable(
    Type.String({
      format: "date-time",
      description: "An administrator holds the channel: until then nothing is deleted by its age or by `expires_in`.",
    }),
  ),
  oldest_message_id: Nullable(Type.Integer({ ...Id, description: "The oldest message; null: there is none." })),
};
