import { CreatePollInput, CreatePollResponse } from "@parley/protocol/poll-calls";
import { speakerOf } from "../agents/speaker.ts";
import { CHANNEL, type Tool, tool } from "../mcp/tool.ts";

/** The tool that makes polls. */
export const pollTools: readonly Tool[] = [
  tool({
    name: "create_poll",
    title: "Make a poll",
    description:
      "Makes a poll in a channel: people choose one of 2 to 10 options, or several with `multiple`. Only people vote. To read the votes, read the message with read_channel. For a decision that you wait for, use ask_people instead. Pass `client_msg_id` to be able to repeat a call safely.",
    input: CreatePollInput,
    output: CreatePollResponse,
    routes: ["createAgentPoll"],
    effects: { readOnlyHint: false, idempotentHint: false, destructiveHint: false, openWorldHint: true },
    invalid: {
      ...CHANNEL,
      agent_name: ["agent_name_required", "invalid_agent_name"],
      question: "invalid_poll",
      options: "invalid_poll",
      thread_root_id: "invalid_id",
    },
    async run(rest, { channel: channel_slug, agent_name, ...poll }, call) {
      const name = await speakerOf(call.ctx, call.caller.agentId, agent_name);
      const body = await rest("createAgentPoll", { body: { channel_slug, agent_name: name, ...poll } });
      return { body, text: `The poll is made: message ${body.message_id} in ${channel_slug}.` };
    },
  }),
];
