import type { DmPolicy } from "@parley/protocol/values";
import type { AppContext } from "../context.ts";
import { publishControl, recordControl } from "../realtime/control/control.ts";
import * as store from "./agent-control.store.ts";
import { deletePresence } from "./agents.store.ts";
import { notePause } from "./inbox/agent-notices.ts";

/** The columns that decide who may control an agent. */
export type ControlledAgent = store.AgentRow;

/** Returns null if there is no such agent. */
export function findAgent(ctx: AppContext, agentId: number): Promise<ControlledAgent | null> {
  return store.findAgent(ctx.db, agentId);
}

/** Reads an agent and locks it until the caller's transaction ends, so changes of one agent are serialized. */
export function lockAgent(ctx: AppContext, agentId: number): Promise<ControlledAgent | null> {
  return store.lockAgent(ctx.db, agentId);
}

/**
 * Pauses or resumes an agent. While it is paused, its keys are refused with `agent_paused` and it is on no online list.
 * Runs in the caller's transaction. Servers learn of it on the bus, or through `control_log` when the command line makes the change in another process (`beside`). Returns false if nothing changed, or if the pause is a moderator's and the owner cannot end it.
 */
export async function setPaused(
  ctx: AppContext,
  agentId: number,
  paused: boolean,
  how: { byStaff: boolean; by: "owner" | "staff"; beside?: boolean },
): Promise<boolean> {
  if (!(await store.writePaused(ctx.db, agentId, paused, how.byStaff))) return false;
  // A login that was in progress when the agent was paused must not reappear when it resumes.
  if (!paused) await deletePresence(ctx.db, agentId);
  if (how.beside === true) await recordControl(ctx.db, ctx.clock, "agent_changed", agentId);
  else publishControl(ctx, "agent_changed", agentId);
  notePause(ctx, agentId, paused, how.by);
  return true;
}

/**
 * Sets the users who may have direct conversations with an agent. Runs in the caller's transaction. Returns false if
 * nothing changed.
 */
export async function setDmPolicy(ctx: AppContext, agentId: number, policy: DmPolicy): Promise<boolean> {
  if (!(await store.writeDmPolicy(ctx.db, agentId, policy))) return false;
  publishControl(ctx, "agent_changed", agentId);
  return true;
}

/**
 * Sets whether an agent's bots in the Telegram door get only what is meant for them. Runs in the caller's transaction.
 * Returns false if nothing changed.
 */
export const setTelegramPrivacy = ({ db }: AppContext, agentId: number, isPrivate: boolean): Promise<boolean> =>
  store.writeTelegramPrivacy(db, agentId, isPrivate);

/**
 * Removes a user's name from an agent, in the caller's transaction; returns false if the agent does not have it. The
 * user may no longer talk with an agent that only talks with its owner.
 */
export async function removeOwner(ctx: AppContext, agentId: number, userId: number): Promise<boolean> {
  if (!(await store.removeOwner(ctx.db, agentId, userId))) return false;
  publishControl(ctx, "agent_changed", agentId);
  return true;
}
