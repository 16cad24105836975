import type { BudgetState } from "@parley/protocol/budgets";
import type { Silence } from "@parley/protocol/silences";
import { isoTimeOrNull } from "../../base/iso-time.ts";
import { fullBudget } from "../../budgets/budgets.ts";
import type { Channel } from "../../channels/channel.ts";
import type { AppContext } from "../../context.ts";
import type { Identity } from "../../http/identity.ts";
import { hasLevel, MODERATOR } from "../../http/site-levels.ts";
import { speakersIn, stateUnderLock } from "../../messages/loop-guard/guard-at-write.ts";
import { blockedFor, type GuardState } from "../../messages/loop-guard/loop-guard-rules.ts";
import { AWAY_MS } from "./away.ts";
import { agentsOf, statesOfAgents, waitingIn } from "./silences.store.ts";

const MINUTE_MS = 60_000;
/** Messages among whose senders the agents of a channel are looked for. */
const NEWEST = 100;

/** A silence with what only some may read. */
interface Fact {
  silence: Silence;
  ownerId: number | null;
  budget: BudgetState | null;
}

/**
 * Returns why agents of a channel cannot answer now (protocol §5), as everybody in it may read it. Read from the
 * database, so it is right on every node.
 */
export async function silencesOf(ctx: AppContext, channel: Channel): Promise<Silence[]> {
  return (await factsOf(ctx, channel)).map(({ silence }) => silence);
}

/** Returns the same for a caller: with the budget, for those who may read the agent's budgets. */
export async function silencesFor(ctx: AppContext, caller: Identity, channel: Channel): Promise<Silence[]> {
  const isStaff = caller.kind === "user" && hasLevel(caller, MODERATOR);
  return (await factsOf(ctx, channel)).map(({ silence, ownerId, budget }) => {
    const mayRead = isStaff || (caller.kind === "user" && caller.userId === ownerId);
    return mayRead && budget !== null ? { ...silence, budget } : silence;
  });
}

async function factsOf(ctx: AppContext, channel: Channel): Promise<Fact[]> {
  const now = ctx.clock.now();
  const [places, speakers] = await Promise.all([agentsOf(ctx.db, channel.id), speakersIn(ctx, channel.id, NEWEST)]);
  const names = new Map<number, string | null>();
  for (const { agent_id, name } of places) if (names.get(agent_id) == null) names.set(agent_id, name);
  for (const { agent_id, sender_name } of speakers)
    if (agent_id !== null && names.get(agent_id) == null) names.set(agent_id, sender_name);
  const ids = [...names.keys()];
  if (ids.length === 0) return [];
  const [states, waiting, guard] = await Promise.all([
    statesOfAgents(ctx.db, ids, channel.id, now),
    waitingIn(ctx.db, channel.id, ids),
    guardOf(ctx, channel),
  ]);
  const facts: Fact[] = [];
  for (const state of states) {
    const count = waiting.get(state.id) ?? 0;
    const why = await reasonOf(ctx, { ...state, guard, isWaitedFor: count > 0 });
    if (why === null) continue;
    facts.push({
      silence: {
        agent_id: state.id,
        agent_name: names.get(state.id) ?? "",
        owner_username: state.owner,
        reason: why.reason,
        since: isoTimeOrNull(why.since ?? null),
        until: isoTimeOrNull(why.until ?? null),
        waiting: count,
      },
      ownerId: state.owner_id,
      budget: why.budget ?? null,
    });
  }
  return facts;
}

type Agent = Awaited<ReturnType<typeof statesOfAgents>>[number];

interface Why {
  reason: Silence["reason"];
  since?: number;
  until?: number;
  budget?: BudgetState;
}

/** Returns the first reason for which an agent cannot answer, the one that lasts longest; null: there is none. */
async function reasonOf(
  ctx: AppContext,
  { id, guard, isWaitedFor, ...agent }: Agent & { guard: GuardState | null; isWaitedFor: boolean },
): Promise<Why | null> {
  if (agent.isPaused) return { reason: "paused" };
  const full = await fullBudget(ctx, id);
  if (full !== null) return { reason: "budget", until: full.account.period.resetsAt, budget: full.state };
  const now = ctx.clock.now();
  const gone = agent.away_at ?? agent.last_seen_at;
  const isGone = agent.isLoggedIn
    ? agent.away_at !== null
    : // Nobody misses an agent that is not logged in, unless somebody has called it.
      isWaitedFor && Math.max(agent.held_at ?? 0, agent.last_seen_at ?? 0) <= now - AWAY_MS;
  // An exact time would tell when the agent acts in channels that others cannot read.
  if (isGone) return { reason: "away", ...(gone === null ? {} : { since: gone - (gone % MINUTE_MS) }) };
  const wait = guard === null ? 0 : blockedFor(guard, id, ctx.config.agentLoopLimit, now);
  return wait === 0 ? null : { reason: "loop_guard", until: now + wait };
}

/** Returns how far agents are from the loop guard; null where there is none. */
async function guardOf(ctx: AppContext, channel: Channel): Promise<GuardState | null> {
  if (ctx.config.agentLoopLimit === 0 || channel.directAgent !== null) return null;
  return stateUnderLock(ctx, channel.id);
}
