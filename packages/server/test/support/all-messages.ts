import type { Answered, Client } from "./servers/test-server.ts";

/** Returns every message of #general, oldest first. */
export async function allMessages(client: Client): Promise<Answered["body"][]> {
  const all: Answered["body"][] = [];
  for (let after = 0; ; ) {
    const { body } = await client.get(`/api/messages?channel_id=general&limit=200&after_seq=${after}`);
    all.push(...body.messages);
    if (!body.has_more) return all;
    after = body.next_after_seq;
  }
}
