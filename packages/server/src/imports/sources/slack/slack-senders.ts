import { type SourceUser, USERS_MAX } from "../../source.ts";
import { type Fields, textOf } from "../fields.ts";
import { PEOPLE, tooMany } from "../too-many.ts";
import type { Layout } from "./layout.ts";
import { commentOf } from "./slack-content.ts";
import { type Directory, strangerOf } from "./slack-users.ts";

/** Finds who wrote a message, and keeps those whom only messages name. */
export class Senders {
  readonly #layout: Layout;
  readonly #directory: Directory;
  readonly #strangers = new Map<string, SourceUser>();

  constructor(layout: Layout, directory: Directory) {
    this.#layout = layout;
    this.#directory = directory;
  }

  get strangers(): Iterable<SourceUser> {
    return this.#strangers.values();
  }

  isBot(message: Fields): boolean {
    return message.subtype === "bot_message" || textOf(message, "bot_id") !== "";
  }

  /** Returns the sender's id; null if the message does not say it. A bot is found by its user, then by its other id. */
  senderOf(message: Fields): string | null {
    const botId = textOf(message, "bot_id");
    const named = this.#directory.bots.get(botId) ?? (textOf(message, "user") || textOf(commentOf(message), "user"));
    const id = named || botId || (this.isBot(message) ? `bot:${textOf(message, "username")}` : "");
    if (id === "" || id === "bot:") return null;
    if (!this.#directory.names.has(id) && !this.#strangers.has(id)) this.#add(strangerOf(id, message));
    return id;
  }

  #add(user: SourceUser): void {
    this.#strangers.set(user.id, user);
    if (this.#strangers.size + this.#directory.names.size > USERS_MAX) throw tooMany(this.#layout.archive.path, PEOPLE);
  }
}
