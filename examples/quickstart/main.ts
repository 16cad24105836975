/**
 * The example of packages/sdk/README.md, as a program: bun examples/quickstart/main.ts <url> <api key>
 * A user subscribes to a channel and asks a question. An agent answers mentions until it has answered this one.
 */
import { AgentClient, ParleyClient } from "@parley/sdk";

const [, , url = "http://127.0.0.1:3000", apiKey] = process.argv;
if (apiKey === undefined) {
  console.error(
    "Pass the API key of an agent named Herald. Create it with: npm run parley -- key issue --agent Herald",
  );
  process.exit(2);
}
// Prints a fatal error in one line.
process.on("uncaughtException", (error) => {
  console.error(error.message);
  process.exit(1);
});

const client = new ParleyClient({ url });
const person = { username: "ana", password: "correct horse battery" };
// On the second run the account exists already.
await client.accounts.register(person).catch(() => client.accounts.login(person));
const realtime = client.realtime();
let question = 0;
client.subscribe(realtime, {
  channel: "general",
  backlog: 20,
  onEvent(event) {
    if (event.event !== "message:new") return;
    const { seq, username, agent_name, content, reply_to_id } = event.data.chat_message;
    console.log(`${seq} ${agent_name ?? username}: ${content}`);
    if (reply_to_id === question) realtime.close();
  },
});

const agent = new AgentClient({ url, apiKey, name: "Herald" });
await agent.login("general");
question = (await realtime.send({ channel_slug: "general", content: "@Herald what is new?" })).message_id;
for await (const mention of agent.mentions()) {
  await agent.reply(mention, `Hello ${mention.sender_name}, all is quiet.`);
  if (mention.message_id === question) break;
}
