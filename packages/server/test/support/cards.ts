import type { Interaction } from "@parley/protocol/cards";
import type { Client } from "./servers/test-server.ts";

/** The buttons of an approval. */
export const APPROVAL = [
  {
    type: "row",
    elements: [
      { type: "button", action_id: "approve", label: "Deploy", style: "primary", confirm: "Deploy 2.4 now?" },
      { type: "button", action_id: "deny", label: "Not now", style: "danger" },
    ],
  },
];

/** Buttons with these ids. */
export const buttons = (...ids: string[]) => [
  { type: "row", elements: ids.map((action_id) => ({ type: "button", action_id, label: `Take ${action_id}` })) },
];

export interface Asked {
  channel_slug?: string;
  message?: string;
  components?: unknown;
  interaction?: Record<string, unknown>;
  client_msg_id?: string;
  file_ids?: number[];
}

/** Sends a card as the agent; by default an approval by the owner of the channel. */
export const askCard = (agent: Client, { interaction = {}, ...body }: Asked = {}) =>
  agent.post("/api/agenthub/send", {
    channel_slug: "general",
    message: "Deploy 2.4 to production?",
    components: APPROVAL,
    interaction: { kind: "approval", who: { users: ["ann"] }, ...interaction },
    ...body,
  });

/** Sends a card that must be accepted; returns its question. */
export async function asked(agent: Client, body: Asked = {}): Promise<Interaction> {
  const answer = await askCard(agent, body);
  if (answer.status !== 201) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body.chat_message.interaction;
}

export const pressCard = (person: Client, id: number, action_id: string, value?: string) =>
  person.post(`/api/interactions/${id}/press`, { action_id, ...(value === undefined ? {} : { value }) });
