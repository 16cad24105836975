import { AGENT_INVALID } from "@parley/protocol/agents";
import { AgentParams } from "@parley/protocol/claims";
import * as wire from "@parley/protocol/setup-codes";
import { qrSvg } from "../accounts/factors/codes.ts";
import { isoTime } from "../base/iso-time.ts";
import { ownOrigin } from "../http/origin.ts";
import { type Route, route } from "../http/route.ts";
import { additionsTo, claimCode, lookAtCode } from "./claim-code.service.ts";
import { setupUrl, shownCode } from "./code-text.ts";
import { codeByName, codeForAgent, confirmCode, type NewSetupCode } from "./make-code.service.ts";

const MAKE_ERRORS = [
  "setup_code_limit_reached",
  "agent_paused",
  "forbidden",
  "reauth_required",
  "channel_not_found",
  "agent_not_found",
] as const;
const TRY_ERRORS = ["setup_code_not_found", "setup_code_used", "setup_code_expired"] as const;
const TRY_RATES = [
  { policy: "setupTry", by: "address" },
  { policy: "setupTryHour", by: "address" },
] as const;

const SECRETS = ["code", "setup_url", "qr_svg", "current_password"];

/** The code is a secret of its reader, so no cache may store the answer. */
function shown(origin: string, headers: Headers, made: NewSetupCode) {
  headers.set("cache-control", "no-store");
  const setup_url = setupUrl(origin, made.code);
  return {
    message: "Give the code to the agent within 10 minutes. It works once and is not shown again.",
    code: shownCode(made.code),
    setup_url,
    qr_svg: qrSvg(setup_url),
    agent_id: made.agentId,
    agent_name: made.agentName,
    expires_at: isoTime(made.expiresAt),
  };
}

/** Setup codes (protocol §16.1). */
export const setupCodeRoutes: readonly Route[] = [
  route({
    name: "makeAgentSetupCode",
    method: "POST",
    path: "/api/agents/:agent_id/setup-codes",
    summary: "Make a code that one of your agents exchanges for a key, once and within 10 minutes.",
    tag: "Agents",
    auth: "session",
    documentedActs: "make setup code",
    rates: [{ policy: "setupCode", by: "identity" }],
    params: AgentParams,
    body: wire.AgentSetupCodeBody,
    bodyOptional: true,
    status: 201,
    answers: { 201: wire.SetupCodeResponse, 200: wire.SetupCodeResponse },
    errors: MAKE_ERRORS,
    idempotent: true,
    secrets: SECRETS,
    confirm: ({ ctx, caller, body }) => confirmCode(ctx, caller, body.current_password, false),
    async handle({ ctx, caller, params, body, request, headers }) {
      const { current_password: _, ...grant } = body;
      const made = await codeForAgent(ctx, caller, params.agent_id, grant);
      return shown(ownOrigin(ctx.config, request), headers, made);
    },
  }),
  route({
    name: "makeSetupCode",
    method: "POST",
    path: "/api/agents/setup-codes",
    summary:
      "Make a code for an agent by its name. If no agent has the name, it is held for one that is made when the code is exchanged.",
    tag: "Agents",
    auth: "session",
    documentedActs: "set up agent",
    rates: [{ policy: "setupCode", by: "identity" }],
    body: wire.SetupCodeBody,
    invalid: { agent_name: AGENT_INVALID.agent_name },
    status: 201,
    answers: { 201: wire.SetupCodeResponse, 200: wire.SetupCodeResponse },
    errors: [
      ...MAKE_ERRORS,
      "agent_name_required",
      "invalid_agent_name",
      "agent_name_taken",
      "agent_limit_reached",
      "user_not_found",
    ],
    idempotent: true,
    secrets: SECRETS,
    confirm: ({ ctx, caller, body }) => confirmCode(ctx, caller, body.current_password, true),
    async handle({ ctx, caller, body, request, headers }) {
      const { current_password: _, agent_name, owner_username, ...grant } = body;
      const made = await codeByName(ctx, caller, { agentName: agent_name, ownerUsername: owner_username, grant });
      return shown(ownOrigin(ctx.config, request), headers, made);
    },
  }),
  route({
    name: "redeemSetupCode",
    method: "POST",
    path: "/api/agenthub/setup",
    summary: "Exchange a setup code for an API key, once. A lost answer is not repeated: ask for another code.",
    tag: "Agents",
    auth: "open",
    documentedActs: "use setup code",
    rates: TRY_RATES,
    body: wire.RedeemSetupCodeBody,
    invalid: wire.SETUP_INVALID,
    reads: [{ name: "user-agent", required: false, description: "The program, as the agent's owner will see it." }],
    status: 201,
    answers: { 201: wire.RedeemSetupCodeResponse },
    errors: TRY_ERRORS,
    async handle({ ctx, body, address, request, headers }) {
      headers.set("cache-control", "no-store");
      const origin = ownOrigin(ctx.config, request);
      const claimed = await claimCode(ctx, body.code, { address, program: request.headers.get("user-agent") });
      const message = "Store the key now. It is not shown again.";
      const more = await additionsTo(ctx, claimed, request);
      return { message, ...claimed, api_url: origin, mcp_url: `${origin}/mcp`, ...more };
    },
  }),
  route({
    name: "lookAtSetupCode",
    method: "POST",
    path: "/api/agenthub/setup/look",
    summary: "See what a setup code would give, without using it.",
    tag: "Agents",
    auth: "open",
    documentedActs: "use setup code",
    rates: TRY_RATES,
    body: wire.RedeemSetupCodeBody,
    invalid: wire.SETUP_INVALID,
    answers: { 200: wire.LookAtSetupCodeResponse },
    errors: TRY_ERRORS,
    handle({ ctx, body, headers }) {
      headers.set("cache-control", "no-store");
      return lookAtCode(ctx, body.code);
    },
  }),
];
