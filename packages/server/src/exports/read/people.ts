import { DELETED_USER } from "@parley/protocol/privacy";
import { nameKey } from "../../accounts/names/names.ts";
import type { Db } from "../../db/db.ts";
import type { MessageRow } from "../../event-log/message-json.ts";
import { ExportRefused } from "../refusal.ts";
import type { Pair } from "./channels.store.ts";
import { Handles } from "./handles.ts";
import { agentNames, nameless, userNames } from "./people.store.ts";

/** Somebody who wrote, reacted or is mentioned: what an export keeps in memory of each. */
export interface Person {
  readonly kind: "user" | "agent" | "webhook" | "deleted";
  /** The id of the user or agent; 0 for the others. */
  readonly id: number;
  readonly name: string;
  /** The name in other chats: lower case, of `a-z0-9._-`, and nobody else's. */
  readonly handle: string;
  /** False: the command leaves this person out. */
  readonly isTaken: boolean;
}

/** The people whom the command takes (`--users`): everybody, only these, or everybody but these. Names by their keys. */
export interface PeopleChoice {
  readonly only: ReadonlySet<string>;
  readonly without: ReadonlySet<string>;
}

export const EVERYBODY: PeopleChoice = { only: new Set(), without: new Set() };

type Sender = Pick<MessageRow, "sender_type" | "user_id" | "agent_id" | "webhook_id" | "sender_name">;

/** All people, agents and webhooks of an export. */
export class People {
  /** Stands for everybody whose account was erased. */
  readonly deleted: Person;
  readonly #handles = new Handles([DELETED_USER]);
  readonly #choice: PeopleChoice;
  readonly #users = new Map<number, Person>();
  readonly #named = new Map<string, Person>();
  readonly #agents = new Map<number, Person>();
  readonly #webhooks = new Map<string, Person>();
  #hasDeleted = false;

  constructor(choice: PeopleChoice) {
    this.#choice = choice;
    this.deleted = {
      kind: "deleted",
      id: 0,
      name: DELETED_USER,
      handle: DELETED_USER,
      isTaken: this.#takes(DELETED_USER),
    };
  }

  /** True if a message of the export, or a conversation, is of an erased account. */
  get hasDeleted(): boolean {
    return this.#hasDeleted;
  }

  get agents(): Iterable<Person> {
    return [...this.#named.values()].filter(({ kind }) => kind === "agent");
  }

  get webhooks(): Iterable<Person> {
    return this.#webhooks.values();
  }

  addUser(id: number, name: string): void {
    const person = this.#person("user", id, name);
    this.#users.set(id, person);
    this.#named.set(nameKey(name), person);
  }

  addAgent(id: number, name: string): void {
    const key = nameKey(name);
    if (this.#named.has(key)) return;
    const person = this.#person("agent", id, name);
    this.#named.set(key, person);
    if (!this.#agents.has(id)) this.#agents.set(id, person);
  }

  addWebhook(name: string): void {
    if (!this.#webhooks.has(name)) this.#webhooks.set(name, this.#person("webhook", 0, name));
  }

  /** Returns who wrote a message; null: the server itself did. */
  senderOf(row: Sender): Person | null {
    if (row.webhook_id !== null) return this.#webhooks.get(row.sender_name) ?? this.deletedUser();
    if (row.sender_type === "system") return null;
    if (row.sender_type === "user") return this.userOf(row.user_id);
    return this.#named.get(nameKey(row.sender_name)) ?? this.agentOf(row.agent_id);
  }

  userOf(id: number | null): Person {
    return (id === null ? undefined : this.#users.get(id)) ?? this.deletedUser();
  }

  /** Returns an agent under the first of its names. */
  agentOf(id: number | null): Person {
    return (id === null ? undefined : this.#agents.get(id)) ?? this.deletedUser();
  }

  /** Returns the user or agent of a name; undefined if nobody has it any more. */
  named(name: string): Person | undefined {
    return this.#named.get(nameKey(name));
  }

  /** Returns the two of a conversation. */
  ofPair(pair: Pair): Person[] {
    if ("userIds" in pair) return pair.userIds.map((id) => this.userOf(id));
    return [this.userOf(pair.userId), this.named(pair.agentName) ?? this.agentOf(pair.agentId)];
  }

  /** True if some people are left out. */
  get isPart(): boolean {
    return this.#choice.only.size + this.#choice.without.size > 0;
  }

  checkChoice(): void {
    const webhooks = new Set([...this.#webhooks.keys()].map(nameKey));
    for (const key of [...this.#choice.only, ...this.#choice.without])
      if (!this.#named.has(key) && !webhooks.has(key) && key !== DELETED_USER)
        throw new ExportRefused(`This server has nobody named ${JSON.stringify(key)}. Check --users.`);
  }

  deletedUser(): Person {
    this.#hasDeleted = true;
    return this.deleted;
  }

  #person(kind: Person["kind"], id: number, name: string): Person {
    return { kind, id, name, handle: this.#handles.of(name), isTaken: this.#takes(name) };
  }

  #takes(name: string): boolean {
    const { only, without } = this.#choice;
    const key = nameKey(name);
    return !without.has(key) && (only.size === 0 || only.has(key));
  }
}

/** A channel, and the two people of it if it is their conversation. */
interface Place {
  readonly id: number;
  readonly pair: Pair | null;
}

/**
 * Loads everybody who has an account, and those who only wrote in these channels: former agents, and webhooks. Errors:
 * `ExportRefused` if the choice names somebody who does not exist.
 */
export async function loadPeople(db: Db, channels: readonly Place[], choice: PeopleChoice): Promise<People> {
  const people = new People(choice);
  for await (const page of userNames(db)) for (const { id, username } of page) people.addUser(id, username);
  for await (const page of agentNames(db)) for (const { agent_id, name } of page) people.addAgent(agent_id, name);
  for await (const page of nameless(
    db,
    channels.map(({ id }) => id),
  )) {
    for (const { sender_type, agent_id, is_webhook, sender_name } of page) {
      if (is_webhook === 1) people.addWebhook(sender_name);
      else if (sender_type === "agent") people.addAgent(agent_id ?? 0, sender_name);
      else people.deletedUser();
    }
  }
  for (const { pair } of channels) if (pair !== null) people.ofPair(pair);
  people.checkChoice();
  return people;
}
