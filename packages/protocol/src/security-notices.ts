import { type Static, Type } from "typebox";
import { HumanText, Id, Limit, model, Nullable, response, Timestamp } from "./values.ts";

/** The kinds of changes to an account's security. */
export const SecurityNoticeKind = Type.Enum([
  "password_changed",
  "email_changed",
  "wallet_changed",
  "wallet_proven",
  "level_changed",
  "suspended",
  "suspension_ended",
  "api_key_issued",
  "new_device",
]);
export type SecurityNoticeKind = Static<typeof SecurityNoticeKind>;

/** A change to the security of an account, recorded for its owner (protocol §2). */
export const SecurityNotice = model("SecurityNotice", "A change to the security of the caller's account.", {
  notice_id: Id,
  kind: SecurityNoticeKind,
  actor: Type.Enum(["self", "administrator", "operator"], {
    description:
      "`self`: a session or an agent of the account. `operator`: somebody with access to the server's command line.",
  }),
  actor_username: Nullable(Type.String({ description: "The administrator who made the change." })),
  details: Type.Record(Type.String(), Type.Unknown(), {
    description:
      "`wallet_*`: `chain`, `address`. `level_changed`: `from`, `to`. `suspended`: `until`. `api_key_issued`: `agent_id`, `key_id`. `new_device`: `user_agent`, `network`.",
  }),
  created_at: Timestamp,
  dismissed_at: Nullable(Timestamp),
});
export type SecurityNotice = Static<typeof SecurityNotice>;

/** GET /api/security-notices. */
export const SecurityNoticesQuery = Type.Object({
  include_dismissed: Type.Optional(Type.Boolean({ description: "Includes notices that were dismissed." })),
  limit: Type.Optional(Limit),
  before: Type.Optional(Id),
});
export type SecurityNoticesQuery = Static<typeof SecurityNoticesQuery>;

/** Response of GET /api/security-notices, the newest first. */
export const SecurityNoticesResponse = response({
  notices: Type.Array(SecurityNotice),
  has_more: Type.Boolean(),
  next_before: Nullable(Id),
  limit: Type.Integer({ minimum: 1 }),
});
export type SecurityNoticesResponse = Static<typeof SecurityNoticesResponse>;

/** POST /api/security-notices/dismiss. */
export const DismissNoticesBody = Type.Object({
  up_to_notice_id: Type.Integer({ ...Id, description: "Dismisses this notice and all older ones." }),
});
export type DismissNoticesBody = Static<typeof DismissNoticesBody>;

/** Response of POST /api/security-notices/dismiss. */
export const DismissNoticesResponse = response({ message: HumanText, up_to_notice_id: Id });
export type DismissNoticesResponse = Static<typeof DismissNoticesResponse>;
