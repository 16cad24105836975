import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentClient, type MessageItem, ParleyError } from "@parley/sdk";
import type { StateFolder } from "../../shared/src/state-folder.ts";

/** A session that does nothing for so long does not listen, as a rule: it was started without the channel. */
export const DEAF_MS = 2 * 60_000;
/** A message that an earlier session got so long ago is not given to the next one. */
const STALE_MS = 60 * 60_000;
const ITEMS_MAX = 500;
const DELIVERED = "delivered.json";

/** Where an item is answered: in the thread that it is in or begins, or in its direct conversation. */
export const placeOf = ({ kind, channel_slug, chat_message }: MessageItem) => ({
  channel: channel_slug,
  thread: kind === "direct" ? chat_message.thread_root_id : (chat_message.thread_root_id ?? chat_message.id),
});

/** The messages that reached this session. */
export class Items {
  readonly #client: AgentClient;
  readonly #folder: StateFolder;
  readonly #people: ReadonlySet<string>;
  readonly #known = new Map<number, MessageItem>();
  readonly #delivered: Set<number>;
  readonly #timers = new Map<number, ReturnType<typeof setTimeout>>();

  constructor(client: AgentClient, folder: StateFolder, people: ReadonlySet<string>) {
    this.#client = client;
    this.#folder = folder;
    this.#people = people;
    const stored = folder.read(DELIVERED);
    this.#delivered = new Set(Array.isArray(stored) ? stored : []);
  }

  get(itemId: number): MessageItem | undefined {
    return this.#known.get(itemId);
  }

  /** The item that came last. It may be answered already. */
  get newest(): MessageItem | undefined {
    return [...this.#known.values()].at(-1);
  }

  /** Reads the inbox until the signal, and gives what the owner says to `deliver`. Nothing else reaches the session. */
  async read(reader: string, signal: AbortSignal, deliver: (item: MessageItem) => Promise<void>): Promise<void> {
    const kinds = ["mention", "direct", "notice"] as const;
    for await (const item of this.#client.inbox({ kinds, manualAck: true, reader, signal })) {
      const isOld = Date.now() - Date.parse(item.created_at) > STALE_MS;
      if (item.kind === "notice" || !this.#mayPrompt(item) || (isOld && this.#delivered.has(item.item_id)))
        await this.#client.ack(item, { maxRetries: 1_000, signal });
      else {
        this.#remember(item);
        await deliver(item);
      }
    }
  }

  #mayPrompt({ chat_message: { sender_type, authority, username, is_deleted } }: MessageItem): boolean {
    if (sender_type !== "user" || username === null || is_deleted) return false;
    return authority === "owner" || this.#people.has(username.toLowerCase());
  }

  #remember(item: MessageItem): void {
    this.#known.set(item.item_id, item);
    const oldest = this.#known.keys().next().value;
    if (this.#known.size > ITEMS_MAX && oldest !== undefined) this.#known.delete(oldest);
    this.#delivered.add(item.item_id);
    this.#save();
    const timer = setTimeout(() => void this.#hint(item), DEAF_MS);
    timer.unref();
    this.#timers.set(item.item_id, timer);
  }

  #save(): void {
    this.#folder.write(DELIVERED, [...this.#delivered].slice(-ITEMS_MAX));
  }

  /** The session shows that it lives: it has called a tool. */
  isAlive(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  async #hint(item: MessageItem): Promise<void> {
    this.#timers.delete(item.item_id);
    const { channel, thread } = placeOf(item);
    const text =
      "Claude Code has not answered for two minutes. If it does not listen here: start it with `claude --dangerously-load-development-channels server:parley`.";
    const fields = {
      client_msg_id: `claude-${item.item_id}-deaf`,
      ...(thread === null ? {} : { thread_root_id: thread }),
    };
    try {
      await this.#client.send(channel, text, fields);
    } catch (error) {
      // The conversation is gone, or the server is away: nobody there misses the hint.
      if (!(error instanceof ParleyError)) throw error;
    }
  }

  /** Removes an item that was answered from the inbox. */
  async answered(item: MessageItem): Promise<void> {
    await this.#client.ack(item, { maxRetries: 10 });
    this.#delivered.delete(item.item_id);
    this.#save();
  }

  /** Stores the files of a message where the session can read them, and returns their paths. */
  async files({ chat_message: { files } }: MessageItem): Promise<string[]> {
    const paths: string[] = [];
    const folder = join(this.#folder.path, "files");
    for (const file of files.filter(({ status }) => status === "ready")) {
      const bytes = await this.#client.readFile(file);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      // A sender chose the name: it must not lead out of the folder.
      const path = join(folder, `${file.file_id}-${file.name.replace(/[^\p{L}\p{N}._ -]/gu, "_").slice(-80)}`);
      writeFileSync(path, bytes, { mode: 0o600 });
      paths.push(path);
    }
    return paths;
  }
}
