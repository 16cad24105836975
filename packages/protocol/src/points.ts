import { type Static, Type } from "typebox";
import { HonorLevel } from "./models.ts";
import { Id, Limit, model, Nullable, response, Timestamp } from "./values.ts";

/** The points and level that a user has earned by activity (protocol §2). */
export const Honor = model("Honor", "What a user has earned by activity.", {
  honor_level: HonorLevel,
  total_points: Type.Integer({ minimum: 0, description: "Ever earned by activity; never falls." }),
  level_points: Type.Integer({ minimum: 0, description: "The total_points at which the level begins." }),
  next_level_points: Nullable(
    Type.Integer({
      minimum: 1,
      description: "The total_points of the next level; null at the highest.",
    }),
  ),
  online_hours: Type.Number({ minimum: 0, description: "Time online. Several sockets of one user count once." }),
  invite_count: Type.Integer({ minimum: 0 }),
  message_count: Type.Integer({ minimum: 0 }),
});
export type Honor = Static<typeof Honor>;

/** A change of a user's points (protocol §2). */
export const PointsEntry = model("PointsEntry", "A change of a user's points.", {
  entry_id: Id,
  kind: Type.String({
    description:
      "Why: `grant`, `invite`, `messages`, `online`, `like`, `packet_fund`, `packet_claim`, `packet_refund`; more may be added.",
  }),
  amount: Type.Integer({ description: "Negative where points were spent." }),
  balance: Type.Integer({ minimum: 0, description: "The balance after the change." }),
  created_at: Timestamp,
});
export type PointsEntry = Static<typeof PointsEntry>;

/** Response of GET /api/user/:username/honor: the fields beside `success` (protocol §2). */
export const HonorResponse = response(Honor.properties);
export type HonorResponse = Static<typeof HonorResponse>;

/** GET /api/user/:username/points */
export const PointsQuery = Type.Object({
  limit: Type.Optional(Limit),
  before: Type.Optional(Type.Integer({ ...Id, description: "An entry's id: the page that continues after it." })),
});
export type PointsQuery = Static<typeof PointsQuery>;

/** Response of GET /api/user/:username/points, newest entry first (protocol §2: every change is a ledger entry). */
export const PointsResponse = response({
  username: Type.String(),
  points: Type.Integer({ minimum: 0, description: "The balance." }),
  available: Type.Integer({
    minimum: 0,
    description: "The part of `points` that can be spent now. Less than `points` while the initial grant is on hold.",
  }),
  on_hold_until: Nullable(
    Type.String({ ...Timestamp, description: "When the initial grant can be spent; null if nothing is on hold." }),
  ),
  entries: Type.Array(PointsEntry),
  has_more: Type.Boolean(),
  next_before: Nullable(Id),
  limit: Type.Integer({ minimum: 1 }),
});
export type PointsResponse = Static<typeof PointsResponse>;
