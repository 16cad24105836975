import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../../packages/server/test/support/config.ts";
import { Client, eventually, type TestServer } from "../../../../packages/server/test/support/servers/test-server.ts";
import { Program } from "./program.ts";

// biome-ignore lint/suspicious/noExplicitAny: messages as the server sends them; a test fails where they differ
type Message = any;

/** An agent with an owner, a key in a file, and a person who talks to it. */
export class Room {
  readonly owner: Client;
  readonly name: string;
  readonly folder = temporaryFolder();
  readonly keyFile = join(this.folder, "key");
  readonly url: string;
  readonly log = join(this.folder, "log");
  /** The agent itself. */
  readonly agent: Client;

  constructor(url: string, owner: Client, name: string, apiKey: string) {
    this.url = url;
    this.owner = owner;
    this.name = name;
    this.agent = new Client(url, { authorization: `Bearer ${apiKey}` });
    writeFileSync(this.keyFile, `${apiKey}\n`, { mode: 0o600 });
    writeFileSync(this.log, "");
  }

  /** Makes an agent of this person by a setup code, as members do. */
  static async of(server: Pick<TestServer, "url">, owner: Client, name: string): Promise<Room> {
    const made = await owner.post("/api/agents/setup-codes", { agent_name: name });
    const claimed = await owner.send("POST", "/api/agenthub/setup", { body: { code: made.body.code } });
    if (claimed.status !== 201) throw new Error(JSON.stringify(claimed.body));
    return new Room(server.url, owner, name, claimed.body.api_key);
  }

  program(args: readonly string[] = [], agent?: readonly string[], env: Record<string, string> = {}): Program {
    const place = ["--url", this.url, "--key-file", this.keyFile, "--cwd", this.folder];
    return new Program([...place, ...args], agent, { SCRIPTED_LOG: this.log, ...env });
  }

  /** Writes to the agent. Returns the message's id, which begins a thread. */
  async say(text: string, fields: Record<string, unknown> = {}, who = this.owner): Promise<number> {
    const body = { channel_slug: "general", content: `@${this.name} ${text}`, ...fields };
    const sent = await who.post("/api/messages", body);
    if (sent.status !== 201) throw new Error(JSON.stringify(sent.body));
    return sent.body.message_id ?? sent.body.chat_message.id;
  }

  /** The agent's messages in a thread, oldest first. */
  async answers(root: number): Promise<Message[]> {
    const { body } = await this.owner.get(`/api/messages/${root}/thread?limit=100`);
    return (body.messages ?? []).filter((message: Message) => message.sender_type === "agent");
  }

  async texts(root: number): Promise<string[]> {
    return (await this.answers(root)).map(({ content }) => content);
  }

  /** Waits until a message of the agent in the thread has this text. */
  async hears(root: number, text: string): Promise<Message> {
    let seen: string[] = [];
    return eventually(`somebody hears ${JSON.stringify(text)}`, async () => {
      const answers = await this.answers(root);
      seen = answers.map(({ content }) => content);
      return answers.find(({ content }) => content.includes(text));
    }).catch((error) => {
      throw new Error(`${error.message}; heard: ${JSON.stringify(seen)}`);
    });
  }

  /** Waits for the n-th card of the thread that is open. */
  card(root: number, number = 1): Promise<Message> {
    return eventually("a card is open", async () => {
      const cards = (await this.answers(root)).filter(({ interaction }) => interaction !== undefined);
      const card = cards[number - 1];
      return card?.interaction.status === "open" ? card : null;
    });
  }

  press(card: Message, action: string, who = this.owner) {
    return who.post(`/api/interactions/${card.interaction.interaction_id}/press`, { action_id: action });
  }

  /** How many items wait for the agent. */
  async pending(): Promise<number> {
    return (await this.agent.get("/api/agenthub/me")).body.pending;
  }
}
