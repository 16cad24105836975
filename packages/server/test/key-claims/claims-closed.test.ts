import { expect, test } from "bun:test";
import { CLAIM, ClaimWorld } from "../support/browser/claim-walk.ts";
import { expectError } from "../support/expect-error.ts";

test("PARLEY_CLAIMS=false refuses new claims, but not the recovery of agents that exist", async () => {
  await using world = await ClaimWorld.start({ claims: false });
  const { guest } = world.server;
  expect((await guest.get(`${CLAIM}/networks`)).body.networks).toEqual([]);
  expectError(await guest.get(`${CLAIM}/verification-code`), 403, "claims_closed");
  const { agentId } = await world.server.agent("Scout");
  const code = await world.recoveryCode(agentId);
  const url = world.post(code, "scout.example.com");
  // The code alone does not open the way to a claim.
  expectError(await world.redeem({ code, url }), 403, "claims_closed");
  expectError(await world.recover({ code, url }), 404, "social_account_not_claimed");
});
