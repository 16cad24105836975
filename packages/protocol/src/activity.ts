import { type Static, Type } from "typebox";
import { ACTIVITY_MAX, ACTIVITY_TEXT_MAX } from "./merge-activity.ts";
import { model, Nullable } from "./values.ts";

const Text = Type.String({ minLength: 1, maxLength: ACTIVITY_TEXT_MAX });
const facts = {
  id: Type.String({
    minLength: 1,
    maxLength: ACTIVITY_TEXT_MAX,
    description: "Chosen by the agent; it names the act.",
  }),
  title: Text,
  kind: Type.Enum(["read", "edit", "run", "search", "fetch", "think", "other"]),
  status: Type.Enum(["running", "ok", "failed", "denied"]),
};
const Milliseconds = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: "How long it took." });

/** One act of an agent while it worked on a message (protocol §16.4). */
export const Activity = model("Activity", "One act of an agent while it worked on a message.", {
  ...facts,
  target: Type.Optional(Type.String({ ...Text, description: "What it concerned, such as a file." })),
  ms: Type.Optional(Milliseconds),
});
export type Activity = Static<typeof Activity>;

/** An act as an agent sends it. Fields that are absent stay as they were sent before under this id. */
export const ActivityInput = Type.Object({
  ...facts,
  target: Type.Optional(Nullable(Type.String({ maxLength: ACTIVITY_TEXT_MAX }))),
  ms: Type.Optional(Nullable(Milliseconds)),
});
export type ActivityInput = Static<typeof ActivityInput>;

/** What an agent did, in bodies that take it. */
export const activityField = {
  activity: Type.Optional(
    Nullable(
      Type.Array(ActivityInput, {
        maxItems: ACTIVITY_MAX,
        description:
          "What the agent did, merged by `id` with what it sent before. Shown as one line below the message.",
      }),
    ),
  ),
};

/** What an agent did, in records: absent if nothing. */
export const shownActivity = Type.Optional(
  Type.Array(Activity, {
    description: "What the agent did while it worked on the message; absent if it said nothing.",
  }),
);
