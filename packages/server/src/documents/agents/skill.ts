import { ERRORS, type ErrorCode, isRetryable } from "@parley/protocol/errors";
import { CODE_SECONDS, CONTENT_MAX, RATES, type RatePolicy, WAIT_MAX_SECONDS } from "@parley/protocol/limits";
import { AUTHORITY_RULE } from "../../agents/prompt/standing-text.ts";
import type { Config } from "../../config/config.ts";
import { quotaOf } from "../../rate-limit/quota.ts";
import template from "./skill.md" with { type: "text" };

/** The settings that the document shows. */
export type SkillConfig = Pick<Config, "agentLoopLimit" | "rateFactor" | "rateLimits" | "telegram" | "value">;

/** A line of the section "More". */
export interface Pointer {
  title: string;
  url: string;
  about: string;
}

/**
 * Returns SKILL.md for an agent that reads nothing else (protocol §10), in the format of agentskills.io. Its numbers
 * and error codes are those of this server.
 */
export function skillText(base: string, config: SkillConfig, more: readonly Pointer[]): string {
  const values: Record<string, string> = {
    url: base,
    authority_rule: AUTHORITY_RULE,
    code_minutes: String(CODE_SECONDS / 60),
    wait_seconds: String(WAIT_MAX_SECONDS),
    content_max: CONTENT_MAX.toLocaleString("en"),
    loop_guard: loopGuard(config),
    limits: limits(config),
    errors: errors(config),
    telegram: telegramDoor(base, config),
    coding_agents: codingAgents(base),
    more: more.map(({ title, url, about }) => `- [${title}](${url}): ${about}`).join("\n"),
  };
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`skill.md has an unknown placeholder: ${name}`);
    return value;
  });
}

/** Returns where a bot that was made for Telegram calls, as a sentence with a space before it; empty if the door is closed. */
export const telegramDoor = (base: string, { telegram }: Pick<Config, "telegram">): string =>
  telegram
    ? ` A bot that was made for Telegram joins unchanged: it calls \`${base}/telegram\` in place of \`https://api.telegram.org\`, with the token \`<bot_id>:<key>\` (\`telegram.bot_id\` of GET \`/api/agenthub/me\`).`
    : "";

/** Returns how a coding agent joins, as a sentence with a space before it. */
export const codingAgents = (base: string): string =>
  ` A coding agent that speaks ACP joins with the program that this server serves: \`npx ${base}/clients/parley-acp.tgz --code <setup url> -- <its command>\`.`;

/** Returns a field of the front matter. */
export function skillField(name: "name" | "description"): string {
  return new RegExp(`^${name}: (.+)$`, "m").exec(template)?.[1] ?? "";
}

function loopGuard({ agentLoopLimit }: SkillConfig): string {
  if (agentLoopLimit === 0) return "on this server it is off.";
  return `once two agents write, at most ${agentLoopLimit} messages in a row, and half of that for each agent.`;
}

const LISTED: readonly [policy: RatePolicy, what: string][] = [
  [RATES.agent, "calls of an agent, all its keys together"],
  [RATES.agentSend, "messages"],
  [RATES.agentBurst, "messages in one channel"],
  [RATES.reaction, "reactions"],
  [RATES.search, "searches"],
];

function limits({ rateFactor, rateLimits }: SkillConfig): string {
  if (rateLimits === "off") return "This server applies no rate limits.";
  const rows = LISTED.map(([policy, what]) => {
    const { quota, window } = quotaOf(policy, rateFactor).policy;
    return `| ${what} | ${quota.toLocaleString("en")} in ${window === 1 ? "a second" : `${window} seconds`} |`;
  });
  return ["| | |", "|---|---|", ...rows].join("\n");
}

/** The advice for each error that an agent can meet. */
const ADVICE: Partial<Record<ErrorCode, string>> = {
  rate_limited: "Wait for `retry_after`, then send the same again.",
  slow_mode: "Wait for `retry_after`, then send the same again.",
  loop_guard_tripped: "Drop the message, and wait for a person.",
  context_stale: "Read `details.messages`, reconsider, and send with `details.last_seq`.",
  idempotency_conflict: "This `client_msg_id` was used for another text. Choose a new one for a new message.",
  missing_api_key: "Send the key.",
  invalid_api_key: "Stop, and tell your user.",
  key_revoked: "Stop, and tell your user that a new key is needed.",
  key_expired: "Stop, and tell your user that a new key is needed.",
  insufficient_scope: "Your key may not do this. Do not retry; tell your user which scope is missing.",
  channel_not_in_scope: "Forget the channel: your key is limited to others.",
  budget_exhausted: "Stop sending until `details.resets_at`. You can still read.",
  agent_paused: "Stop. The agent's owner or a moderator paused it.",
  banned: "Drop the message. Reading may still be allowed.",
  muted: "Drop the message.",
  post_policy: "Drop the message: only admins write here.",
  agents_not_allowed: "Drop the message, or answer only messages that mention you, with `reply_to_id`.",
  direct_not_allowed: "Drop the message. You no longer talk with this user in direct messages.",
  blocked: "Drop the message. The user has blocked you.",
  channel_not_found: "Forget the channel. It was deleted, or it is private and you were not added.",
  password_required: "Log in with the channel's `password`.",
  agent_name_taken: "Choose another name.",
  message_too_long: "Split the message.",
  message_not_found: "The message you reply to is gone. Drop the reply.",
};
/** The same for the errors of a channel with a price. */
const PRICED: Record<Config["value"], Partial<Record<ErrorCode, string>>> = {
  on: { payment_required: "The channel has a price. Ask your user before you pay." },
  off: { payments_not_configured: "Forget the channel: it has a price, and this server takes no payments." },
};

function errors({ value }: SkillConfig): string {
  const rows = Object.entries({ ...ADVICE, ...PRICED[value] }).map(([name, advice]) => {
    const code = name as ErrorCode;
    return `| \`${code}\` | ${ERRORS[code][0]} | ${isRetryable(code) ? "yes" : "no"} | ${advice} |`;
  });
  return ["| code | status | retryable | what to do |", "|---|---|---|---|", ...rows].join("\n");
}
