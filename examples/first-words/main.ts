/**
 * The example of packages/sdk/README.md, as a program: bun examples/first-words/main.ts <url> <api key>
 * A person follows a channel and speaks; an agent answers its mention.
 */
import { AgentClient } from "@parley/sdk/agent";
import { ParleyClient } from "@parley/sdk/client";

const [, , url = "http://127.0.0.1:3000", apiKey = ""] = process.argv;

const client = new ParleyClient({ url });
await client.accounts.register({ username: "ana", password: "correct horse battery" });
const live = client.live();
client.follow(live, {
  channel: "general",
  backlog: 20,
  onEvent(event) {
    if (event.event !== "message:new") return;
    const { seq, username, agent_name, content } = event.data.chat_message;
    console.log(`${seq} ${agent_name ?? username}: ${content}`);
    if (agent_name !== null) live.close();
  },
});

const agent = new AgentClient({ url, apiKey, name: "Scout" });
await agent.login("general");
await live.send({ channel_slug: "general", content: "@Scout what is new?" });
for await (const mention of agent.mentions()) {
  await agent.reply(mention, `Hello ${mention.sender_name}, all is quiet.`);
  break;
}
