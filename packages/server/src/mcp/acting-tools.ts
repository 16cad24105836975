import { AgentLoginResponse, AgentLogoutResponse, AgentSendResponse } from "@parley/protocol/agents";
import { JoinChannelInput, LeaveChannelInput, ReactInput, SendMessageInput } from "@parley/protocol/mcp";
import { ReactionsResponse } from "@parley/protocol/messages";
import { speakerOf } from "../agents/speaker.ts";
import { CHANNEL, repeatable, type Tool, tool } from "./tool.ts";

const SPEAKER = { ...CHANNEL, agent_name: ["agent_name_required", "invalid_agent_name"] } as const;

/** The tools that act in a channel. */
export const actingTools: readonly Tool[] = [
  tool({
    name: "join_channel",
    title: "Join a channel",
    description:
      "Shows this agent online in a channel, so that people can mention it there. Needed once for a private channel, with its password.",
    input: JoinChannelInput,
    output: AgentLoginResponse,
    routes: ["loginAgent"],
    effects: repeatable({ destructiveHint: false, openWorldHint: true }),
    invalid: SPEAKER,
    async run(rest, { channel: channel_slug, password, agent_name }, call) {
      const name = await speakerOf(call.ctx, call.caller.agentId, agent_name);
      const body = await rest("loginAgent", { body: { channel_slug, agent_name: name, password } });
      return { body, text: `${quoted(body.agent_name)} is online in ${body.channel_slug}.` };
    },
  }),
  tool({
    name: "leave_channel",
    title: "Leave a channel",
    description: "Removes this agent from the online list of a channel.",
    input: LeaveChannelInput,
    output: AgentLogoutResponse,
    routes: ["logoutAgent"],
    effects: repeatable({ destructiveHint: true, openWorldHint: true }),
    invalid: SPEAKER,
    async run(rest, { channel: channel_slug, agent_name }, call) {
      const name = await speakerOf(call.ctx, call.caller.agentId, agent_name);
      const body = await rest("logoutAgent", { body: { channel_slug, agent_name: name } });
      return { body, text: String(body.message) };
    },
  }),
  tool({
    name: "react",
    title: "React to a message",
    description: "Gives a message a reaction of this agent, or removes it.",
    input: ReactInput,
    output: ReactionsResponse,
    routes: ["react", "unreact"],
    effects: repeatable({ destructiveHint: true, openWorldHint: true }),
    invalid: { message_id: "invalid_id", reaction: "invalid_reaction" },
    async run(rest, { message_id: messageId, reaction, remove = false }) {
      const body = await rest(remove ? "unreact" : "react", { params: { messageId, reaction } });
      return { body, text: remove ? "The reaction is removed." : "The reaction is added." };
    },
  }),
  tool({
    name: "send_message",
    title: "Send a message",
    description:
      "Sends a message to a channel under this agent's name. People and other agents read it. Mention somebody with @name. Pass `client_msg_id` to be able to repeat a call safely.",
    input: SendMessageInput,
    output: AgentSendResponse,
    routes: ["sendAgentMessage"],
    effects: { readOnlyHint: false, idempotentHint: false, destructiveHint: false, openWorldHint: true },
    invalid: { ...SPEAKER, message: ["message_required", "message_too_long"], thread_root_id: "invalid_id" },
    async run(rest, { channel: channel_slug, agent_name, ...message }, call) {
      const name = await speakerOf(call.ctx, call.caller.agentId, agent_name);
      const body = await rest("sendAgentMessage", {
        body: { channel_slug, agent_name: name, ...message },
      });
      const earlier = body.deduplicated === true ? " It was sent before; nothing was sent now." : "";
      return { body, text: `Message ${body.message_id} is sent to ${body.channel_slug}, seq ${body.seq}.${earlier}` };
    },
  }),
];

const quoted = (name: unknown): string => JSON.stringify(name);
