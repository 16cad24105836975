import { methods, type PromptRequest } from "@agentclientprotocol/sdk";
import type { RunningAgent } from "./agent-process.ts";

/** An agent that does not end a cancelled turn in this time is deaf. */
const CANCEL_MS = 10_000;

/** The agent ended while it worked. */
export class LostTurn extends Error {}

/**
 * Gives the agent a prompt and waits for the end of its turn. The signal cancels the turn; `deaf`: the agent did not end it then.
 * Throws `LostTurn` if the agent ended, and the agent's error. After the signal it throws nothing.
 */
export async function promptAgent(
  agent: RunningAgent,
  request: PromptRequest,
  signal: AbortSignal,
): Promise<"ended" | "deaf"> {
  const { agent: calls, signal: closed } = agent.connection;
  const asked = calls.request(methods.agent.session.prompt, request).then(() => "ended" as const);
  asked.catch(() => {}); // after the signal or the agent's end nobody waits for it
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ends = new Promise<"lost" | "deaf">((resolve) => {
    agent.over.addEventListener("abort", () => resolve("lost"), { once: true });
    const cancel = () => {
      // A connection that has ended needs no word of it.
      calls.notify(methods.agent.session.cancel, { sessionId: request.sessionId }).catch(() => {});
      timer = setTimeout(() => resolve("deaf"), CANCEL_MS);
    };
    signal.addEventListener("abort", cancel, { once: true });
  });
  try {
    const end = await Promise.race([asked, ends]);
    if (end !== "lost") return end;
  } catch (error) {
    if (!signal.aborted && !agent.over.aborted && !closed.aborted) throw error;
  } finally {
    clearTimeout(timer);
  }
  if (signal.aborted) return "ended";
  throw new LostTurn();
}
