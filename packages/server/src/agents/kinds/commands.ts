import type { Channel } from "../../channels/channel.ts";
import type { AppContext } from "../../context.ts";
import { port } from "../../hook.ts";
import type { Asker } from "./askers.ts";
import { commandOf, isNamed } from "./command-text.ts";
import { recentWriters, type SaidRow } from "./kind-spans.store.ts";
import type { Scene } from "./scene.ts";

/** What a slice above knows of the commands of agents. */
export interface CommandBook {
  /** Returns those of these names that have declared a command, in lower case, for a channel. */
  declarers(ctx: AppContext, channel: Channel, command: string, among: readonly string[]): Promise<readonly string[]>;
  /** Returns the name that a command may also call `bot<id>`; null if there is none. */
  nameOfBot(ctx: AppContext, id: number): Promise<string | null>;
}

export const commandBook = port<CommandBook>("the commands of agents");

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
  const book = commandBook.find(ctx);
  if (command.to !== null) return named(ctx, wanting, command.to, book);
  if (OF_ALL.has(command.name)) {
    for (const { agent_id, sender_name } of await recentWriters(ctx.db, row.channel_id, row.seq)) {
      const last = scene.askers.find(agent_id, sender_name, "command");
      if (last !== undefined) return [last];
    }
  }
  const here = wanting.filter((asker) => scene.places.has(row.channel_id, asker));
  const channel = scene.channels.get(row.channel_id);
  if (here.length === 0 || book === null || channel === undefined) return [];
  const names = here.map(({ agentName }) => agentName);
  const declaring = await book.declarers(ctx, channel, command.name, names);
  return here.filter(({ agentName }) => declaring.includes(agentName));
}

async function named(
  ctx: AppContext,
  wanting: readonly Asker[],
  to: string,
  book: CommandBook | null,
): Promise<Asker[]> {
  const found = wanting.filter(({ agentName }) => isNamed(to, agentName));
  const [, id] = NUMBERED.exec(to) ?? [];
  if (found.length > 0 || id === undefined || book === null) return found;
  const name = await book.nameOfBot(ctx, Number(id));
  return wanting.filter(({ agentName }) => agentName === name);
}
