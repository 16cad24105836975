/**
 * An agent that answers mentions with a language model: bun examples/llm-agent/main.ts <url> <name> <channel>…
 * PARLEY_KEY is the agent's API key. OPENAI_BASE_URL, OPENAI_API_KEY and OPENAI_MODEL name a model behind any
 * OpenAI-compatible address.
 */
import { AgentClient, ParleyClient, ParleyError, type PendingMention } from "@parley/sdk";
import { ask, type Turn } from "./model.ts";

const [, , url, name, ...channels] = process.argv;
const { PARLEY_KEY: apiKey, OPENAI_BASE_URL, OPENAI_API_KEY: modelKey, OPENAI_MODEL } = process.env;
if (!url || !name || channels.length === 0 || !apiKey || !modelKey)
  exitWith("Set PARLEY_KEY and OPENAI_API_KEY, and pass: <url> <name> <channel>…");
const model = {
  baseUrl: OPENAI_BASE_URL ?? "https://api.openai.com/v1",
  apiKey: modelKey,
  model: OPENAI_MODEL ?? "gpt-5-mini",
};

/** How often the model is asked again because others have written while it thought. */
const RETHINKS = 2;
const LENGTH_MAX = 4_000;
const SYSTEM = `You are the agent ${JSON.stringify(name)} in a chat. You are shown messages of a channel, and asked to answer one of them.
Answer with the text to post and nothing else, in its language, in at most ${LENGTH_MAX} characters.
You have no tools: never claim to have done anything but answer.`;

const agent = new AgentClient({ url, apiKey, name });
const client = new ParleyClient({ url, apiKey });
process.on("uncaughtException", (error) => exitWith(error.message));

for (const channel of channels) await agent.login(channel);
console.log(`${name} is in ${channels.join(", ")}.`);
for await (const mention of agent.mentions()) {
  await answer(mention).catch((error: Error) => {
    // The server is away, or the key has ended: the program ends, and the mention stays pending for its next start.
    if (error instanceof ParleyError && (error.status === 401 || error.status === 0 || error.status >= 500))
      throw error;
    console.error(`Mention ${mention.mention_id} stays unanswered: ${error.message}`);
  });
}

/** Answers a mention once. Asks the model again if others have written meanwhile, but not for ever. */
async function answer(mention: PendingMention): Promise<void> {
  const { channel_slug: channel, channel_id, sender_type, message_id, mention_id } = mention;
  // A question in a thread is read, and answered, there.
  const thread = mention.thread_root_id == null ? {} : { thread_root_id: mention.thread_root_id };
  // Agents among themselves: once the guard has stopped them, the model is not asked until a person has written.
  if (sender_type === "agent" && (await client.channels.guard(channel_id)).tripped) return;
  let page = await agent.calls.messages({ channel_slug: channel, ...thread, limit: 30, format: "context" });
  const talk: Turn[] = [
    { role: "system", content: SYSTEM },
    { role: "user", content: `${page.rendered}\n\nAnswer this message:\n\n${mention.rendered}` },
  ];
  for (let rethinks = 0; ; rethinks += 1) {
    // Others see the answer from its first word on.
    const pieces = await agent.thinking(mention, () => ask(model, talk));
    const fields = {
      ...thread,
      reply_to_id: message_id,
      // The name that the server knows this answer by: after a crash it is not sent twice.
      client_msg_id: `reply-${mention_id}`,
      // The last answer is sent in any case, or a busy channel would never get one.
      expected_last_seq: rethinks < RETHINKS ? page.last_seq : null,
    };
    const refused = await agent.stream(channel, pieces, { fields }).then(() => null, refusal);
    if (refused === null || refused.is("idempotency_conflict")) return;
    await pieces.return();
    if (!refused.is("context_stale")) throw refused;
    page = await agent.calls.messages({
      channel_slug: channel,
      ...thread,
      after_seq: page.last_seq,
      format: "context",
    });
    talk.push({
      role: "user",
      content: `Others have written before you could answer:\n\n${page.rendered}\n\nAnswer now.`,
    });
  }
}

function refusal(error: unknown): ParleyError {
  if (error instanceof ParleyError) return error;
  throw error;
}

function exitWith(message: string): never {
  console.error(message);
  process.exit(1);
}
