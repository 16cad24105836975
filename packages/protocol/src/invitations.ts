import { type Static, Type } from "typebox";
import { HumanText, Id, Limit, model, Nullable, Offset, response, Timestamp } from "./values.ts";

/** Invitations of one user that can be used at the same time. */
export const OPEN_INVITATIONS_MAX = 20;
/** Days that an invitation can be used. */
export const INVITATION_DAYS = { least: 1, usual: 7, most: 90 } as const;
/** Accounts that an invitation makes at most. */
export const INVITATION_USES_MAX = 1_000;

/** An invitation as its maker and administrators see it (protocol §2). */
export const Invitation = model("Invitation", "An invitation as its maker and administrators see it.", {
  invitation_id: Id,
  code: Type.String({ description: "New users register with it, as with the permanent code of a user." }),
  created_by: Type.String({ description: "The user who invites." }),
  created_at: Timestamp,
  expires_at: Timestamp,
  uses_max: Type.Integer({ minimum: 1, description: "How many accounts it makes at most." }),
  uses: Type.Integer({ minimum: 0, description: "How many accounts it has made." }),
  revoked_at: Nullable(Timestamp),
  state: Type.Enum(["open", "revoked", "used_up", "expired"], { description: "`open`: it can be used." }),
});
export type Invitation = Static<typeof Invitation>;

/** POST /api/invitations. */
export const MakeInvitationBody = Type.Object({
  days: Type.Optional(
    Type.Integer({
      minimum: INVITATION_DAYS.least,
      maximum: INVITATION_DAYS.most,
      description: "For how many days it can be used; 7 by default.",
    }),
  ),
  uses_max: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: INVITATION_USES_MAX,
      description: "How many accounts it makes at most; 1 by default.",
    }),
  ),
});
export type MakeInvitationBody = Static<typeof MakeInvitationBody>;

/** Response of POST and DELETE. */
export const MadeInvitationResponse = response({
  message: HumanText,
  invitation: Invitation,
  deduplicated: Type.Optional(Type.Boolean()),
});
export type MadeInvitationResponse = Static<typeof MadeInvitationResponse>;

/** GET /api/invitations and GET /api/admin/invitations. */
export const InvitationsQuery = Type.Object({ limit: Type.Optional(Limit), offset: Type.Optional(Offset) });
export type InvitationsQuery = Static<typeof InvitationsQuery>;

/** Response of GET /api/invitations and GET /api/admin/invitations, the newest first. */
export const InvitationsResponse = response({
  invitations: Type.Array(Invitation),
  has_more: Type.Boolean(),
  next_offset: Nullable(Offset),
  limit: Type.Integer({ minimum: 1 }),
});
export type InvitationsResponse = Static<typeof InvitationsResponse>;
