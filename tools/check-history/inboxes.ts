import type { Invoke, Outcome } from "./lines.ts";
import type { Problems } from "./problems.ts";

interface Inbox {
  /** The items that each message has become. */
  items: Map<number, number>;
  /** The line at which each acknowledgement was answered. */
  acknowledged: Map<number, number>;
}

/** Mentions of agents: each comes at least once, and never again after its acknowledgement. */
export class Inboxes {
  readonly #problems: Problems;
  readonly #inboxes = new Map<string, Inbox>();
  readonly #mentions: [agent: string, message: number][] = [];

  constructor(problems: Problems) {
    this.#problems = problems;
  }

  /** Takes an acknowledged message that mentions agents. */
  mention(agents: readonly string[], message: number): void {
    for (const agent of agents) this.#mentions.push([agent, message]);
  }

  /** Takes what waited when the agent asked, at line `askedAt`. */
  read({ client }: Invoke, { items = [] }: Outcome, askedAt: number): void {
    const inbox = this.#of(client);
    for (const [item, message] of items) {
      const other = inbox.items.get(message);
      if (other !== undefined && other !== item)
        this.#problems.add("inbox", `Message ${message} is item ${other} and item ${item} of ${client}.`);
      inbox.items.set(message, item);
      if ((inbox.acknowledged.get(item) ?? Infinity) < askedAt)
        this.#problems.add("inbox", `${client} got item ${item} after it had acknowledged it.`);
    }
  }

  acknowledge({ client, item = 0 }: Invoke): void {
    const { acknowledged } = this.#of(client);
    if (!acknowledged.has(item)) acknowledged.set(item, this.#problems.line);
  }

  #of(agent: string): Inbox {
    const inbox = this.#inboxes.get(agent) ?? { items: new Map(), acknowledged: new Map() };
    this.#inboxes.set(agent, inbox);
    return inbox;
  }

  conclude(): void {
    for (const [agent, message] of this.#mentions)
      if (!this.#of(agent).items.has(message))
        this.#problems.add("inbox", `${agent} was never told of message ${message}.`);
  }
}
