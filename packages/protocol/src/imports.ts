import { type Static, Type } from "typebox";
import { LoggedInUser, NewPassword } from "./accounts.ts";
import { IMPORT_KINDS, type ImportKind } from "./import-limits.ts";
import { HumanText, Id, Limit, model, Nullable, Offset, response, Timestamp } from "./values.ts";

const Count = Type.Integer({ minimum: 0 });

/** Counts the things of one kind by their outcome (protocol §14.0). */
export const ImportTally = Type.Object({
  taken: Count,
  known: Count,
  changed: Count,
  left_out: Count,
});
export type ImportTally = Static<typeof ImportTally>;

export const ImportCounts = Type.Record(Type.Enum([...IMPORT_KINDS]), ImportTally);
export type ImportCounts = Record<ImportKind, ImportTally>;

/** `writing`: messages are written; `closed`: all are, and nobody sees them yet; `done`: it is open. */
export const ImportStatus = Type.Enum(["writing", "closed", "done", "undoing", "undone"]);
export type ImportStatus = Static<typeof ImportStatus>;

/** The things that an import left out for one reason. */
export const ImportLeftOut = Type.Object({
  kind: Type.String({ description: "The kind of thing, such as `message` or `file`." }),
  reason: Type.String({ description: "A stable word, such as `no_time`." }),
  count: Count,
  examples: Type.Array(Type.String(), { description: "At most 5 ids of the source." }),
});
export type ImportLeftOut = Static<typeof ImportLeftOut>;

/** A run that takes the history of another chat, as administrators see it (protocol §14.0). */
export const ImportRecord = model("Import", "A run that takes the history of another chat.", {
  import_id: Id,
  format: Type.String({ description: "The other chat, such as `slack`." }),
  workspace: Type.String({ description: "The name of the workspace." }),
  status: ImportStatus,
  progress: Type.Number({ minimum: 0, maximum: 1, description: "The part of the messages that is written." }),
  counts: ImportCounts,
  left_out: Type.Array(ImportLeftOut, { description: "Empty until all is written." }),
  claimed: Type.Integer({ minimum: 0, description: "People who have claimed their accounts." }),
  unclaimed: Type.Integer({ minimum: 0, description: "People who have not claimed their accounts yet." }),
  created_at: Timestamp,
  opened_at: Nullable(Timestamp),
  undone_at: Nullable(Timestamp),
});
export type ImportRecord = Static<typeof ImportRecord>;

/** Somebody who has not claimed their account yet. */
export const UnclaimedPerson = model("UnclaimedPerson", "Somebody who has not claimed their account yet.", {
  import_id: Id,
  username: Type.String(),
  display_name: Nullable(Type.String()),
  email: Nullable(Type.String({ description: "The address in the other chat. Nobody has verified it." })),
  suspended: Type.Boolean({ description: "Whether the account must be unsuspended before it can be claimed." }),
  link_expires_at: Nullable(
    Type.String({ format: "date-time", description: "The end of the link that the person has; null: there is none." }),
  ),
});
export type UnclaimedPerson = Static<typeof UnclaimedPerson>;

/** GET /api/admin/imports. */
export const ImportsQuery = Type.Object({
  import_id: Type.Optional(Type.Integer({ minimum: 1, description: "Only the people of this import." })),
  limit: Type.Optional(Limit),
  offset: Type.Optional(Offset),
});
export type ImportsQuery = Static<typeof ImportsQuery>;

/** Response of GET /api/admin/imports. The pages are those of `unclaimed`; each has all imports. */
export const ImportsResponse = response({
  imports: Type.Array(ImportRecord, { description: "The newest 100, newest first." }),
  unclaimed: Type.Array(UnclaimedPerson, { description: "In the order in which the imports made them." }),
  has_more: Type.Boolean(),
  next_offset: Nullable(Offset),
  limit: Type.Integer({ minimum: 1 }),
});
export type ImportsResponse = Static<typeof ImportsResponse>;

/** GET /api/old-link and GET /old. */
export const OldLinkQuery = Type.Object({
  url: Type.String({ minLength: 1, maxLength: 2048, description: "The whole link of the former chat." }),
});

/** Response of GET /api/old-link: where the link leads now. */
export const OldLinkResponse = response({
  channel_slug: Type.String(),
  message_id: Nullable(Type.Integer({ minimum: 1, description: "null: the link leads to the channel." })),
  thread_root_id: Nullable(Type.Integer({ minimum: 1, description: "The message is in this thread." })),
});
export type OldLinkResponse = Static<typeof OldLinkResponse>;

const Token = Type.String({ maxLength: 128, description: "What follows `#` in the link." });

/** POST /api/auth/account-claim and …/sign-on. Accepts any token: one that is not valid is 410 `claim_link_expired`. */
export const AccountClaimBody = Type.Object({ token: Token });
export type AccountClaimBody = Static<typeof AccountClaimBody>;

/** Response of POST /api/auth/account-claim: what the holder of a link may claim. */
export const AccountClaimResponse = response({
  username: Type.String(),
  display_name: Nullable(Type.String()),
  channels: Type.Array(Type.Object({ slug: Type.String(), name: Type.String() }), {
    description: "The first 50 channels of the account, by name, without direct conversations.",
  }),
  channel_count: Type.Integer({ minimum: 0, description: "All of them." }),
  password_login: Type.Boolean({ description: "Whether the account can be claimed with a password." }),
  single_sign_on: Nullable(Type.String({ description: "The name of the provider; null without one." })),
  expires_at: Timestamp,
});
export type AccountClaimResponse = Static<typeof AccountClaimResponse>;

/** POST /api/auth/account-claim/password. */
export const ClaimAccountBody = Type.Object({ token: Token, password: NewPassword });
export type ClaimAccountBody = Static<typeof ClaimAccountBody>;

/** Response of POST /api/auth/account-claim/password, which also sets the session's cookie. */
export const ClaimAccountResponse = response({ message: HumanText, user: LoggedInUser });
export type ClaimAccountResponse = Static<typeof ClaimAccountResponse>;

/** Response of POST /api/auth/account-claim/sign-on: where the browser goes on. */
export const ClaimBySignOnResponse = response({ authorization_url: Type.String({ description: "At the provider." }) });
export type ClaimBySignOnResponse = Static<typeof ClaimBySignOnResponse>;
