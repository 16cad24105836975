import { type AgentClient, ParleyError } from "@parley/sdk";

const KINDS = "press,decision,notice";
const PAGE = 100;

/**
 * Removes the reports of answers and of changes from the inbox: cards are waited for by themselves, and a change of the agent is
 * a line for its owner. The inbox would fill up with them.
 */
export async function dropReports(client: AgentClient, say: (line: string) => void): Promise<void> {
  try {
    for (;;) {
      const { items } = await client.calls.inbox({ kinds: KINDS, agent_name: client.name, limit: PAGE });
      if (items.length === 0) return;
      for (const { notice } of items) if (notice !== null) say(notice.text);
      await client.calls.ackInbox({ item_ids: items.map(({ item_id }) => item_id) });
      if (items.length < PAGE) return;
    }
  } catch (error) {
    // They stay until the next turn has ended.
    if (!(error instanceof ParleyError) || error.status === 401) throw error;
  }
}
