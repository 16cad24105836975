import type { Module } from "../module.ts";
import { wholeList, withTimes } from "../user-export.ts";
import { accountRoutes } from "./accounts.routes.ts";
import { ownSessions } from "./accounts.service.ts";
import { eraseConfirmed } from "./addresses/confirmed.ts";
import { ownBlocks } from "./blocks/blocks.ts";
import { eraseClaimable } from "./claimable/claimable.ts";
import { checkNames, checkSingleSignOn } from "./doctor.ts";
import {
  eraseBlocks,
  eraseChallenges,
  eraseDevices,
  eraseFactors,
  eraseInvitations,
  eraseNotices,
  eraseResetLinks,
} from "./erase/erase.ts";
import { factorsForExport } from "./factors/authenticator-app.ts";
import { ownInvitations } from "./invitations/invitations.ts";
import { eraseIdentities, ownIdentities } from "./oidc/identities.ts";
import { passkeysOf } from "./passkeys/passkeys.ts";
import { pointsRoutes } from "./profiles/users.routes.ts";
import { ownNotices } from "./security-notices/security-notices.ts";
import { devicesOf } from "./sessions/devices.ts";
import { startLoginFailures } from "./sessions/login-failures.ts";
import { walletRoutes } from "./wallets/wallets.routes.ts";

const ALL_NOTICES = { include_dismissed: true, limit: 200 };

declare module "../audit/audit.ts" {
  interface AuditActs
    extends Record<
      | `invitation_${"mail" | "revoke"}`
      | `owner_${"create" | "promote"}`
      | `user_${"create" | "factors_removed" | "level" | "profile_clear" | "reset" | "reset_link" | "suspend" | "unsuspend" | "update"}`,
      true
    > {}
}

export const accounts: Module = {
  name: "accounts",
  routes: [...accountRoutes, ...pointsRoutes],
  tags: { Accounts: "Users, sessions, profiles, wallets, blocks and security notices." },
  erase: {
    invitations: eraseInvitations,
    wallet_challenges: eraseChallenges,
    blocks: eraseBlocks,
    devices: eraseDevices,
    reset_links: eraseResetLinks,
    confirmed_addresses: eraseConfirmed,
    identities: eraseIdentities,
    second_factors: eraseFactors,
    security_notices: eraseNotices,
    claimable_accounts: eraseClaimable,
  },
  exports: {
    sessions: wholeList(ownSessions),
    devices: wholeList(async (ctx, { userId }) => (await devicesOf(ctx, userId)).map(withTimes)),
    identities: wholeList(async (ctx, caller) => (await ownIdentities(ctx, caller)).identities),
    second_factors: wholeList(async (ctx, { userId }) => [await factorsForExport(ctx, userId)]),
    passkeys: wholeList((ctx, { userId }) => passkeysOf(ctx, userId)),
    security_notices: wholeList(async (ctx, caller) => (await ownNotices(ctx, caller, ALL_NOTICES)).notices),
    blocks: wholeList(ownBlocks),
    invitations: wholeList(async (ctx, caller) => (await ownInvitations(ctx, caller, { limit: 100 })).invitations),
  },
  doctor: [checkNames, checkSingleSignOn],
  guide: [
    {
      name: "signing-in",
      part: "more",
      about: "second factors, passkeys, recovery",
      text: () => import("../../../../docs/guide/signing-in.md", { with: { type: "text" } }),
    },
  ],
  start: startLoginFailures,
};

/** The proofs of wallets, by which payments and red packets know their payers and payees. */
export const wallets: Module = {
  name: "wallets",
  isValue: true,
  routes: walletRoutes,
};
