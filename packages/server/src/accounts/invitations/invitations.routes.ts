import { InvitationParams, InvitationResponse } from "@parley/protocol/accounts";
import {
  InvitationsQuery,
  InvitationsResponse,
  MadeInvitationResponse,
  MakeInvitationBody,
} from "@parley/protocol/invitations";
import { MailInvitationBody, MailInvitationResponse } from "@parley/protocol/mail";
import { type Route, route } from "../../http/route.ts";
import { ADMINISTRATOR, requireLevel } from "../../http/site-levels.ts";
import { readInvitation } from "../accounts.service.ts";
import { allInvitations, makeInvitation, ownInvitations, revokeInvitation } from "./invitations.ts";
import { mailInvitation } from "./invite-by-mail.ts";

const tag = "Accounts";

/** Routes of invitations (protocol §2). */
export const invitationRoutes: readonly Route[] = [
  route({
    name: "makeInvitation",
    method: "POST",
    path: "/api/invitations",
    summary: "Make an invitation, which works for some days and some accounts",
    tag,
    auth: "session",
    documentedActs: "own invitations",
    rates: [{ policy: "makeInvitation", by: "identity" }],
    body: MakeInvitationBody,
    status: 201,
    idempotent: true,
    answers: { 201: MadeInvitationResponse, 200: MadeInvitationResponse },
    errors: ["invitation_limit_reached"],
    async handle({ ctx, caller, body }) {
      return { message: "The invitation is made.", invitation: await makeInvitation(ctx, caller, body) };
    },
  }),
  route({
    name: "mailInvitation",
    method: "POST",
    path: "/api/invitations/mail",
    summary: "Make an invitation and mail it to an address",
    tag,
    auth: "session",
    documentedActs: "invite by mail",
    rates: [{ policy: "mailInvitation", by: "identity" }],
    body: MailInvitationBody,
    invalid: { email: "invalid_email" },
    status: 201,
    idempotent: true,
    answers: { 201: MailInvitationResponse, 200: MailInvitationResponse },
    errors: ["forbidden", "mail_off", "invalid_email", "invitation_limit_reached"],
    async handle({ ctx, caller, body }) {
      return {
        message: "The invitation is made, and a mail is on its way.",
        invitation: await mailInvitation(ctx, caller, body),
      };
    },
  }),
  route({
    name: "listInvitations",
    method: "GET",
    path: "/api/invitations",
    summary: "List the caller's invitations, newest first",
    tag,
    auth: "session",
    documentedActs: "own invitations",
    query: InvitationsQuery,
    invalid: { offset: "invalid_cursor" },
    answers: { 200: InvitationsResponse },
    errors: ["invalid_cursor"],
    handle: ({ ctx, caller, query }) => ownInvitations(ctx, caller, query),
  }),
  route({
    name: "listAllInvitations",
    method: "GET",
    path: "/api/admin/invitations",
    summary: "List the invitations of all users, newest first",
    tag: "Administration",
    auth: "session",
    documentedActs: "list invitations",
    query: InvitationsQuery,
    invalid: { offset: "invalid_cursor" },
    answers: { 200: InvitationsResponse },
    errors: ["forbidden", "invalid_cursor"],
    handle({ ctx, caller, query }) {
      requireLevel(caller, ADMINISTRATOR);
      return allInvitations(ctx, query);
    },
  }),
  route({
    name: "revokeInvitation",
    method: "DELETE",
    path: "/api/invitations/:code",
    summary: "Revoke an invitation",
    tag,
    auth: "session",
    documentedActs: "revoke invitation",
    params: InvitationParams,
    answers: { 200: MadeInvitationResponse },
    errors: ["invitation_not_found"],
    async handle({ ctx, caller, params }) {
      return { message: "The invitation is revoked.", invitation: await revokeInvitation(ctx, caller, params.code) };
    },
  }),
  route({
    name: "getInvitation",
    method: "GET",
    path: "/api/invitations/:code",
    summary: "See who invites with an invite code",
    tag,
    auth: "open",
    documentedActs: "register",
    rates: [{ policy: "invitation", by: "address" }],
    params: InvitationParams,
    answers: { 200: InvitationResponse },
    errors: ["invalid_invite_code", "invitation_expired", "invitation_used_up", "invitation_revoked"],
    async handle({ ctx, params }) {
      return { invitation: await readInvitation(ctx, params.code) };
    },
  }),
];
