import { type Static, Type } from "typebox";
import { AgentName } from "./agents.ts";
import { PageQuery, SlugRef } from "./channels.ts";
import { Id, model, Nullable, response } from "./values.ts";

/** Commands of one list (protocol §5). */
export const COMMANDS_MAX = 100;
/** Characters of a command's description. */
export const COMMAND_DESCRIPTION_MAX = 256;
/** Agents in one page of a channel's commands. */
export const COMMAND_AGENTS_PAGE = 20;

/** A command that people write to an agent as `/command` (protocol §5). */
export const AgentCommand = model("AgentCommand", "A command that people write to an agent, as `/command@agent`.", {
  command: Type.String({ pattern: "^[a-z0-9_]{1,32}$", description: "The word after the slash." }),
  description: Type.String({ minLength: 1, maxLength: COMMAND_DESCRIPTION_MAX, description: "Text for people." }),
});
export type AgentCommand = Static<typeof AgentCommand>;

/** PUT /api/agenthub/commands (protocol §5). */
export const SetCommandsBody = Type.Object({
  agent_name: Type.Optional(Nullable(AgentName)),
  channel_slug: Type.Optional(
    Nullable(Type.String({ ...SlugRef, description: "The commands of one channel, instead of those everywhere." })),
  ),
  commands: Type.Array(AgentCommand, {
    maxItems: COMMANDS_MAX,
    description: "The whole list, in the order in which it is shown. An empty list removes it.",
  }),
});
export type SetCommandsBody = Static<typeof SetCommandsBody>;

/** Response of PUT /api/agenthub/commands (protocol §5). */
export const SetCommandsResponse = response({
  agent_id: Id,
  agent_name: Type.String(),
  channel_slug: Nullable(Type.String()),
  commands: Type.Array(AgentCommand),
});
export type SetCommandsResponse = Static<typeof SetCommandsResponse>;

/** GET /api/channels/:channel_id/commands (protocol §5). */
export const ChannelCommandsQuery = Type.Object({
  ...PageQuery.properties,
  language: Type.Optional(
    Type.String({ pattern: "^[a-z]{2}$", description: "The reader's language, for agents that have several lists." }),
  ),
});
export type ChannelCommandsQuery = Static<typeof ChannelCommandsQuery>;

/** The commands of one agent in a channel (protocol §5). */
export const CommandingAgent = model("CommandingAgent", "The commands of one agent in a channel.", {
  agent_id: Id,
  agent_name: Type.String(),
  commands: Type.Array(AgentCommand),
});
export type CommandingAgent = Static<typeof CommandingAgent>;

/** Response of GET /api/channels/:channel_id/commands, by the agents' names (protocol §5). */
export const ChannelCommandsResponse = response({
  channel_id: Id,
  agents: Type.Array(CommandingAgent),
  has_more: Type.Boolean(),
  next_offset: Nullable(Type.Integer({ minimum: 0 })),
  limit: Type.Integer({ minimum: 1, description: `Agents in a page, at most ${COMMAND_AGENTS_PAGE}.` }),
});
export type ChannelCommandsResponse = Static<typeof ChannelCommandsResponse>;
