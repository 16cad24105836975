import type { Module } from "../module.ts";
import { accountRoutes } from "./accounts.routes.ts";
import {
  eraseBlocks,
  eraseChallenges,
  eraseDevices,
  eraseFactors,
  eraseInvitations,
  eraseNotices,
  eraseResetLinks,
} from "./erase/erase.ts";
import { eraseIdentities } from "./oidc/identities.ts";
import { pointsRoutes } from "./profiles/points.routes.ts";
import { startLoginFailures } from "./sessions/login-failures.ts";

export const accounts: Module = {
  name: "accounts",
  routes: [...accountRoutes, ...pointsRoutes],
  erase: {
    invitations: eraseInvitations,
    wallet_challenges: eraseChallenges,
    blocks: eraseBlocks,
    devices: eraseDevices,
    reset_links: eraseResetLinks,
    identities: eraseIdentities,
    second_factors: eraseFactors,
    security_notices: eraseNotices,
  },
  start: startLoginFailures,
};
