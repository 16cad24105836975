import type { AppContext } from "../context.ts";
import { announce, recordControl } from "../realtime/control.ts";
import * as store from "./agent-control.store.ts";
import { deletePresence } from "./agents.store.ts";

/** What decides who may do what with an agent. */
export type ControlledAgent = store.AgentRow;

/** Null: there is no such agent. */
export function findAgent(ctx: AppContext, agentId: number): Promise<ControlledAgent | null> {
  return store.findAgent(ctx.db, agentId);
}

/** Reads an agent and holds it until the caller's transaction ends: changes of one agent go one after the other. */
export function holdAgent(ctx: AppContext, agentId: number): Promise<ControlledAgent | null> {
  return store.holdAgent(ctx.db, agentId);
}

/**
 * Pauses an agent or lets it go on; its keys are refused with `agent_paused` at once, and it leaves every online list. In the caller's
 * transaction. Servers hear of it on the bus, or through `control_log` when the command line acts `beside` them. False: it was so already,
 * or the pause is a moderator's and the owner cannot end it.
 */
export async function setPaused(
  ctx: AppContext,
  agentId: number,
  paused: boolean,
  how: { byStaff: boolean; beside?: boolean },
): Promise<boolean> {
  if (!(await store.writePaused(ctx.db, agentId, paused, how.byStaff))) return false;
  // A login that was under way when it was paused must not come to light when it goes on.
  if (!paused) await deletePresence(ctx.db, agentId);
  if (how.beside === true) await recordControl(ctx.db, ctx.clock, "agent_changed", agentId);
  else announce(ctx, "agent_changed", agentId);
  return true;
}

/** Takes a user's name off an agent; false when it is not on it. */
export function removeOwner(ctx: AppContext, agentId: number, userId: number): Promise<boolean> {
  return store.removeOwner(ctx.db, agentId, userId);
}
