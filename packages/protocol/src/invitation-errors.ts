/** Errors of invitations (protocol §2), a part of `ERRORS`. */
export const INVITATION_ERRORS = {
  invitation_not_found: [404, "This invitation does not exist."],
  invitation_limit_reached: [409, "You have 20 invitations that can still be used. Revoke one first."],
  invitation_expired: [410, "This invitation has expired. Ask for a new one."],
  invitation_used_up: [410, "This invitation has been used up. Ask for a new one."],
  invitation_revoked: [410, "This invitation has been revoked. Ask for a new one."],
} as const;
