import { AgentSendResponse } from "@parley/protocol/agents";
import { InteractionResponse } from "@parley/protocol/card-calls";
import { CARD_ELEMENTS } from "@parley/protocol/card-limits";
import type { Interaction } from "@parley/protocol/cards";
import { AskPeopleInput, CheckAnswerInput } from "@parley/protocol/mcp";
import type { ChatMessage } from "@parley/protocol/models";
import { answerLine } from "../agents/prompt/card-lines.ts";
import { speakerOf } from "../agents/speaker.ts";
import { fail } from "../errors.ts";
import { CHANNEL, reads, type Tool, tool } from "./tool.ts";

/** The tools that ask people and read their answers. */
export const cardTools: readonly Tool[] = [
  tool({
    name: "ask_people",
    title: "Ask people",
    description:
      'Asks people in a channel with buttons, and answers at once with an interaction_id: then call check_answer. The options `approve` and `deny` make an approval, which one denial or `quorum` approvals decide; with other options the first press decides. `who` names the people, for example {users: [...]}, {owner: true} or {roles: ["admin"]}. Pass `client_msg_id` to be able to repeat a call safely.',
    input: AskPeopleInput,
    output: AgentSendResponse,
    routes: ["sendAgentMessage"],
    effects: { readOnlyHint: false, idempotentHint: false, destructiveHint: false, openWorldHint: true },
    invalid: {
      ...CHANNEL,
      agent_name: ["agent_name_required", "invalid_agent_name"],
      question: ["message_required", "message_too_long"],
      thread_root_id: "invalid_id",
      options: "invalid_components",
      who: "invalid_components",
      expires_in: "invalid_components",
      quorum: "invalid_components",
    },
    async run(
      rest,
      { channel: channel_slug, agent_name, question, options, who, expires_in, quorum, ...message },
      call,
    ) {
      const name = await speakerOf(call.ctx, call.caller.agentId, agent_name);
      const ids = options.map(({ action_id }) => action_id).sort();
      const kind = ids.join() === "approve,deny" ? "approval" : "choice";
      const buttons = options.map((option) => ({ type: "button" as const, ...option }));
      const rows = Array.from({ length: Math.ceil(buttons.length / CARD_ELEMENTS) }, (_, row) => ({
        type: "row" as const,
        elements: buttons.slice(row * CARD_ELEMENTS, (row + 1) * CARD_ELEMENTS),
      }));
      const body = await rest("sendAgentMessage", {
        body: {
          channel_slug,
          agent_name: name,
          message: question,
          components: rows,
          interaction: {
            kind,
            who,
            ...(expires_in === undefined ? {} : { expires_in }),
            ...(quorum === undefined ? {} : { quorum }),
          },
          ...message,
        },
      });
      const { interaction } = body.chat_message as ChatMessage;
      // A question that was sent before, and whose message is deleted by now.
      if (interaction === undefined) throw fail("message_deleted");
      const { interaction_id, expires_at } = interaction;
      const until = `Call check_answer with interaction_id ${interaction_id}. It expires at ${expires_at}.`;
      return { body, text: `The question is asked in ${body.channel_slug}. ${until}` };
    },
  }),
  tool({
    name: "check_answer",
    title: "Check the answer",
    description:
      "Returns how a question of ask_people stands. `wait` waits while it is open. Act only on status `decided` and its result: it may also expire or be cancelled.",
    input: CheckAnswerInput,
    output: InteractionResponse,
    routes: ["getInteraction"],
    effects: reads(true),
    invalid: { interaction_id: "invalid_id" },
    async run(rest, { interaction_id, wait }) {
      const body = await rest("getInteraction", { params: { interaction_id }, query: { wait } });
      return { body, text: answerLine(body.interaction as Interaction) };
    },
  }),
];
