import type { AppContext } from "../../context.ts";
import { port } from "../../hook.ts";
import { declarersAmong } from "../commands/commands.service.ts";
import type { Asker } from "./askers.ts";
import { commandOf, isNamed } from "./command-text.ts";
import { recentWriters, type SaidRow } from "./kind-spans.store.ts";
import type { Scene } from "./scene.ts";

/** Returns the name that a command may also call `bot<id>`; null if there is none. */
export type NameOfBot = (ctx: AppContext, id: number) => Promise<string | null>;

/** Provided by the Telegram door, which gives each name its number. */
export const nameOfBot = port<NameOfBot>("the names of bots");

/** Commands that every bot has. Without a name they reach the bot that wrote last. */
const OF_ALL = new Set(["start", "help"]);
const NUMBERED = /^bot(\d{1,15})$/i;

/**
 * Returns whom a message commands: who is named, wherever it may read; else who is in the channel and has declared the
 * command; `/start` and `/help` the bot that wrote last, or those that have declared them if none did.
 */
export async function commandTargets(ctx: AppContext, scene: Scene, row: SaidRow): Promise<Asker[]> {
  const command = commandOf(row.head);
  if (command === null) return [];
  const wanting = scene.askers.wanting("command");
  if (wanting.length === 0) return [];
  if (command.to !== null) return named(ctx, wanting, command.to);
  if (OF_ALL.has(command.name)) {
    for (const { agent_id, sender_name } of await recentWriters(ctx.db, row.channel_id, row.seq)) {
      const last = scene.askers.find(agent_id, sender_name, "command");
      if (last !== undefined) return [last];
    }
  }
  const here = wanting.filter((asker) => scene.places.has(row.channel_id, asker));
  const channel = scene.channels.get(row.channel_id);
  if (here.length === 0 || channel === undefined) return [];
  const names = here.map(({ agentName }) => agentName);
  const declaring = await declarersAmong(ctx, channel, command.name, names);
  return here.filter(({ agentName }) => declaring.includes(agentName));
}

async function named(ctx: AppContext, wanting: readonly Asker[], to: string): Promise<Asker[]> {
  const found = wanting.filter(({ agentName }) => isNamed(to, agentName));
  const [, id] = NUMBERED.exec(to) ?? [];
  const nameOf = nameOfBot.find(ctx);
  if (found.length > 0 || id === undefined || nameOf === null) return found;
  const name = await nameOf(ctx, Number(id));
  return wanting.filter(({ agentName }) => agentName === name);
}
