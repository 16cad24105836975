import type { VerificationCodeQuery } from "@parley/protocol/claims";
import { ParleyError } from "@parley/sdk";
import type { ClaimTexts } from "../i18n/claim-texts.ts";

/** The key that a code is for. */
export interface CodePurpose {
  query: VerificationCodeQuery;
  /** The display name of the agent that gets a new key; null: a first key. */
  agent: string | null;
}

export const FIRST_KEY: CodePurpose = { query: {}, agent: null };

/** Requests a new key for the agent with this name. */
export function newKeyFor(name: string): CodePurpose {
  return { query: { purpose: "recover", agent_name: name }, agent: name };
}

/** Requests a new key for the agent named by a refused claim; null: it names none. */
export function newKeyAfter(refusal: unknown, { texts }: ClaimTexts): CodePurpose | null {
  const details = refusal instanceof ParleyError ? refusal.details : null;
  if (typeof details !== "object" || details === null || !("agent_id" in details)) return null;
  const { agent_id: id } = details;
  if (typeof id !== "number") return null;
  const name = "agent_name" in details && typeof details.agent_name === "string" ? details.agent_name : null;
  return { query: { purpose: "recover", agent_id: id }, agent: name ?? texts.numbered(id) };
}
