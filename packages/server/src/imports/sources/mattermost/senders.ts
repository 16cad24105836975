import { SourceError, type SourceUser, USERS_MAX } from "../../source.ts";
import { type Fields, partOf } from "../fields.ts";
import type { Directory } from "./directory.ts";
import { nameOf } from "./names.ts";

/** Finds who wrote a post, and keeps those whom only posts name. */
export class Senders {
  readonly #directory: Directory;
  readonly #where: string;
  readonly #strangers = new Map<string, SourceUser>();

  /** `where`: the path of the export, for messages. */
  constructor(directory: Directory, where: string) {
    this.#directory = directory;
    this.#where = where;
  }

  get strangers(): Iterable<SourceUser> {
    return this.#strangers.values();
  }

  /** Returns the sender's id; null if the post does not say it. A webhook is known by the name under which it writes. */
  senderOf(post: Fields): string | null {
    const props = partOf(post, "props");
    const [username, hook] = [nameOf(post, "user"), isSet(props, "from_webhook") ? hookName(props) : ""];
    const id = hook === "" ? username : `webhook:${hook}`;
    if (id === "") return null;
    if (!this.#directory.people.has(id) && !this.#strangers.has(id)) {
      const isBot = hook !== "" || isSet(props, "from_bot");
      const name = hook || username;
      this.#add({ id, name, displayName: null, email: null, kind: isBot ? "bot" : "person", isGone: !isBot });
    }
    return id;
  }

  #add(user: SourceUser): void {
    this.#strangers.set(user.id, user);
    if (this.#strangers.size + this.#directory.people.size > USERS_MAX)
      throw new SourceError(`${this.#where} has more than 200,000 people and bots. Parley cannot import so many.`);
  }
}

/** Mattermost writes truth as a text. */
const isSet = (props: Fields, name: string): boolean => props[name] === "true" || props[name] === true;

const hookName = (props: Fields): string => nameOf(props, "override_username").trim();
