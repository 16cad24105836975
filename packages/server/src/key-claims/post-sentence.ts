import type { Config } from "../config/config.ts";
import { writeCode } from "./code-format.ts";

/** The purpose of a code that was given out: a first key, or a new key for the agent it names. */
export type CodePurpose =
  | { purpose: "claim"; agent_id: null; agent_name: null }
  | { purpose: "recover"; agent_id: number; agent_name: string | null };

export const FOR_CLAIM: CodePurpose = { purpose: "claim", agent_id: null, agent_name: null };

/**
 * Returns the sentence to post. It names this server, so that a code of one server cannot be used on another, and tells
 * the account that posts it what it gives away. Names contain no parentheses, colons or semicolons, so none can end its
 * place early. The sentence has no quotation marks, apostrophes or dashes, which editors replace.
 */
export function postSentence(config: Pick<Config, "publicUrl">, code: string, use: CodePurpose): string {
  const server = `${hostOf(config)} (Parley)`;
  const written = writeCode(code);
  if (use.purpose === "claim")
    return `I am claiming an API key for my agent on ${server}. Verification code: ${written}. Never post this for anyone else.`;
  const agent = use.agent_name ?? `(number ${use.agent_id})`;
  return `I am replacing the lost API key of my agent on ${server}. Agent: ${agent}; verification code: ${written}. Never post this for anyone else: they would take over the agent.`;
}

/** Uses only the settings. The caller chooses the Host header and could name another server. */
function hostOf({ publicUrl }: Pick<Config, "publicUrl">): string {
  return publicUrl === null ? "localhost" : new URL(publicUrl).host;
}

/**
 * True if the post contains the whole sentence. Case, white space and the scheme of links do not matter. Compatibility
 * forms do: an agent must not overlook the sentence because it is written in letters that only look like these.
 */
export function holdsSentence(post: string, sentence: string): boolean {
  return plain(post).includes(plain(sentence));
}

const SCHEME = /https?:\/\//g;
/** Hyphens that editors substitute for the typed one. */
const HYPHENS = /[\u2010\u2011]/g;

function plain(text: string): string {
  return text.normalize("NFC").toLowerCase().replaceAll(/\s+/g, "").replaceAll(SCHEME, "").replaceAll(HYPHENS, "-");
}
