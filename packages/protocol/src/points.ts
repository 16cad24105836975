import { type Static, Type } from "typebox";
import { Honor, PointsEntry } from "./models.ts";
import { Id, Limit, Nullable, response, Timestamp } from "./values.ts";

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
