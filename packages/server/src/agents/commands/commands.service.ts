import type {
  AgentCommand,
  ChannelCommandsQuery,
  CommandingAgent,
  SetCommandsBody,
} from "@parley/protocol/agent-commands";
import { COMMAND_AGENTS_PAGE } from "@parley/protocol/agent-commands";
import { invalidAgentName, isPlatformAgent } from "../../accounts/names/agent-names.ts";
import { nameKey } from "../../accounts/names/names.ts";
import { isBlank, oneLine } from "../../base/visible-text.ts";
import { readableChannel, roleIn } from "../../channels/access/access.ts";
import type { Channel, ChannelRef } from "../../channels/channel.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import type { AgentIdentity, Identity } from "../../http/identity.ts";
import { channelsInScope } from "../../http/key-scopes.ts";
import { type OffsetPage, pageByOffset } from "../../http/pages.ts";
import { bindAgentName } from "../name-binding.ts";
import { speakerOf } from "../speaker.ts";
import { appliedList, commandsIn, type ListPlace, scopesFor } from "./command-lists.ts";
import * as store from "./commands.store.ts";

/** Lists of one agent; the oldest beyond them are dropped. */
const LISTS_MAX = 100;

/** A list, and who declares it. */
export interface DeclaredList extends ListPlace {
  readonly agentName: string;
  /** Empty: the list is removed. */
  readonly commands: readonly AgentCommand[];
}

/**
 * Declares the commands of one of the agent's names, everywhere or in one channel.
 * Errors: those of `speakerOf`, `bindAgentName`, `readableChannel` and `declareList`, `invalid_agent_name` for the name
 * that all agents share.
 */
export async function setCommands(ctx: AppContext, caller: AgentIdentity, body: SetCommandsBody) {
  const given = await speakerOf(ctx, caller.agentId, body.agent_name);
  if (isPlatformAgent(given)) throw invalidAgentName(given);
  const channel = body.channel_slug == null ? null : await readableChannel(ctx, caller, { slug: body.channel_slug });
  const place: ListPlace = { scope: channel === null ? "default" : "chat", channelId: channel?.id ?? 0, language: "" };
  const agentName = await bindAgentName(ctx, caller.agentId, given);
  const commands = await declareList(ctx, caller, { ...place, agentName, commands: body.commands });
  return { agent_id: caller.agentId, agent_name: agentName, channel_slug: channel?.slug ?? null, commands };
}

/**
 * Stores a list in the place of the one before it, and returns its commands as they are stored. The caller has checked
 * that the agent may read the list's channel. Errors: `channel_not_in_scope` for a list of all channels by a key that is
 * limited to some; `invalid_request` for a description without a visible character, or a command that is there twice.
 */
export async function declareList(
  ctx: AppContext,
  caller: AgentIdentity,
  { agentName, commands: given, ...place }: DeclaredList,
): Promise<AgentCommand[]> {
  if (place.channelId === 0 && channelsInScope(caller) !== null)
    throw fail("channel_not_in_scope", {
      message: "This API key is limited to some channels: set the commands of one of them.",
    });
  const commands = given.map(({ command, description }) => ({ command, description: oneLine(description) }));
  checkCommands(commands);
  const named = { agentId: caller.agentId, nameKey: nameKey(agentName) };
  await transact(ctx, async (ctx) => {
    if (commands.length === 0) return store.deleteList(ctx.db, named, place);
    await store.storeList(ctx.db, named, place, JSON.stringify(commands), ctx.clock.now());
    await store.keepNewest(ctx.db, caller.agentId, LISTS_MAX);
  });
  return commands;
}

function checkCommands(commands: readonly AgentCommand[]): void {
  const seen = new Set<string>();
  for (const [index, { command, description }] of commands.entries()) {
    const refuse = (field: string, message: string) =>
      fail("invalid_request", { details: [{ path: `commands.${index}.${field}`, message }] });
    if (isBlank(description)) throw refuse("description", "must have a visible character");
    if (seen.has(command)) throw refuse("command", "must be different from the others");
    seen.add(command);
  }
}

/** Returns the commands that the name has declared for exactly this place. */
export async function declaredList(ctx: AppContext, agentName: string, place: ListPlace): Promise<AgentCommand[]> {
  const found = await store.findList(ctx.db, { nameKey: nameKey(agentName) }, place);
  return found === undefined ? [] : commandsIn(found);
}

/** Lists the commands that the caller may write in a channel, by agent. Errors: those of `readableChannel`. */
export async function commandsFor(
  ctx: AppContext,
  caller: Identity,
  ref: ChannelRef,
  { limit = COMMAND_AGENTS_PAGE, offset, language = "" }: ChannelCommandsQuery,
): Promise<OffsetPage & { channel_id: number; agents: CommandingAgent[] }> {
  const channel = await readableChannel(ctx, caller, ref);
  const role = await roleIn(ctx, caller, channel);
  const reading = { ...readingOf(ctx, channel, role === "owner" || role === "admin"), language };
  const { shown, ...page } = await pageByOffset({ limit: Math.min(limit, COMMAND_AGENTS_PAGE), offset }, (page) =>
    store.namesWithLists(ctx.db, reading, page),
  );
  const lists = await store.listsOf(ctx.db, reading, shown);
  const applied = shown.flatMap(
    (key) =>
      appliedList(
        lists.filter(({ name_key }) => name_key === key),
        reading.scopes,
      ) ?? [],
  );
  const commands = await store.commandsOfLists(
    ctx.db,
    applied.map(({ id }) => id),
  );
  const agents = applied.map(({ id, agent_id, name }) => ({
    agent_id,
    agent_name: name,
    commands: commandsIn(commands.get(id) ?? "[]"),
  }));
  return { channel_id: channel.id, agents, ...page };
}

/** A command as `declarersAmong` looks for it. */
const COMMAND = /^[a-z0-9_]{1,32}$/;

/**
 * Returns those of these names that have declared a command, in lower case, for some of a channel's readers: the
 * receivers of `/command` without a name are among them. Whether they are in the channel is for the caller to decide.
 */
export async function declarersAmong(
  ctx: AppContext,
  { id, direct }: Channel,
  command: string,
  among: readonly string[],
): Promise<string[]> {
  if (among.length === 0 || !COMMAND.test(command)) return [];
  const place = { channelId: id, scopes: scopesFor(direct !== null, true) };
  const lists = await store.listsWith(ctx.db, place, command, among.map(nameKey));
  const declaring = lists.filter(({ commands }) => commandsIn(commands).some((each) => each.command === command));
  const keys = new Set(declaring.map(({ name_key }) => name_key));
  return among.filter((name) => keys.has(nameKey(name)));
}

const readingOf = (ctx: AppContext, { id, direct, directAgent }: Channel, isAdmin: boolean) => ({
  channelId: id,
  only: directAgent === null ? null : nameKey(directAgent.agentName),
  scopes: scopesFor(direct !== null, isAdmin),
  now: ctx.clock.now(),
});
