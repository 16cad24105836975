/** The rates of invitations (protocol §2), a part of `RATES`. */
export const INVITATION_RATES = {
  makeInvitation: {
    name: "make-invitation",
    quota: 30,
    window: 3600,
    store: "shared",
    counts: "invitations made, per user",
  },
} as const;
