import { basename } from "node:path";
import { methods } from "@agentclientprotocol/sdk";
import type { RunningAgent } from "./agent-process.ts";
import type { State } from "./state.ts";

/** The agent's own session of a place. */
export interface OpenSession {
  id: string;
  cwd: string;
  /** `forgotten`: there was an earlier session, which the agent cannot continue. */
  start: "continued" | "new" | "forgotten";
}

/** The sessions that a running agent has loaded, by place. */
const loaded = new WeakMap<RunningAgent, Map<string, OpenSession>>();

/**
 * Returns the agent's session of a place: the one that it has in memory, the one of an earlier process if the agent can
 * load or resume it, or a new one in `folder`.
 */
export async function openSession(
  agent: RunningAgent,
  state: State,
  key: string,
  folders: readonly string[],
  folder: string | null,
): Promise<OpenSession> {
  const known = loaded.get(agent) ?? new Map<string, OpenSession>();
  loaded.set(agent, known);
  const current = known.get(key);
  if (current !== undefined) return { ...current, start: "continued" };
  const stored = state.session(key);
  // The owner may have taken the folder away since.
  const earlier = stored !== null && folders.includes(stored.cwd) ? stored : null;
  const opened =
    earlier !== null && (await isLoaded(agent, earlier))
      ? { ...earlier, start: "continued" as const }
      : await newSession(agent, folder ?? earlier?.cwd ?? folders[0] ?? ".", stored !== null);
  known.set(key, opened);
  state.setSession(key, { id: opened.id, cwd: opened.cwd });
  return opened;
}

async function newSession(agent: RunningAgent, cwd: string, hadOne: boolean): Promise<OpenSession> {
  const { sessionId } = await agent.connection.agent.request(methods.agent.session.new, { cwd, mcpServers: [] });
  return { id: sessionId, cwd, start: hadOne ? "forgotten" : "new" };
}

async function isLoaded({ connection, facts }: RunningAgent, session: { id: string; cwd: string }): Promise<boolean> {
  const { agentCapabilities: can } = facts;
  const request = { sessionId: session.id, cwd: session.cwd, mcpServers: [] };
  try {
    if (can?.sessionCapabilities?.resume != null) await connection.agent.request(methods.agent.session.resume, request);
    else if (can?.loadSession === true) await connection.agent.request(methods.agent.session.load, request);
    else return false;
    return true;
  } catch {
    // The agent has deleted it: a new one takes its place, and the conversation is told so.
    return false;
  }
}

/** Forgets the session of a place, whose agent does not answer there any more. */
export function forgetSession(agent: RunningAgent, key: string): void {
  loaded.get(agent)?.delete(key);
}

/** Returns the folder that a message names with `!cwd <name>`: one of the owner's, by its name or path. */
export function folderNamed(
  content: string,
  folders: readonly string[],
): { folder: string | null; isUnknown: boolean } {
  const name = /(?:^|\s)!cwd\s+(\S+)/.exec(content)?.[1];
  if (name === undefined) return { folder: null, isUnknown: false };
  const folder = folders.find((each) => each === name) ?? folders.find((each) => basename(each) === name) ?? null;
  return { folder, isUnknown: folder === null };
}
