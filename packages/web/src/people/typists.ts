import type { ActorKind } from "@parley/protocol/records";
import { Store } from "../app/store.ts";

/** Who has said nothing of it for so long types no more. An agent that thinks says it again every 5 s. */
const FADES_MS = { user: 6_000, agent: 12_000 } as const;

/** Someone who types, or an agent that thinks. */
export interface Typist {
  kind: ActorKind;
  name: string;
}

/** What is known of an agent that tells what it does; of one that does not nothing is. */
export type AgentState = "thinking" | "idle";

interface Held extends Typist {
  timer: ReturnType<typeof setTimeout>;
}

/** Who is typing in a channel, and which agents think. */
export class Typists {
  readonly all = new Store<readonly Typist[]>([]);
  /** By name, of those agents that have told. */
  readonly agents = new Store<ReadonlyMap<string, AgentState>>(new Map());
  readonly #held = new Map<string, Held>();

  set(kind: ActorKind, name: string, isTyping: boolean): void {
    const key = `${kind} ${name}`;
    const before = this.#held.get(key);
    clearTimeout(before?.timer);
    if (isTyping) {
      const timer = setTimeout(() => this.set(kind, name, false), FADES_MS[kind]);
      this.#held.set(key, { kind, name, timer });
    } else {
      this.#held.delete(key);
    }
    if (kind === "agent" && (isTyping || this.agents.get().has(name))) this.#tell(name, isTyping ? "thinking" : "idle");
    if (isTyping !== (before !== undefined)) {
      this.all.set([...this.#held.values()].map((held) => ({ kind: held.kind, name: held.name })));
    }
  }

  clear(): void {
    for (const { timer } of this.#held.values()) clearTimeout(timer);
    this.#held.clear();
    this.all.set([]);
    this.agents.set(new Map());
  }

  #tell(name: string, state: AgentState): void {
    const known = this.agents.get();
    if (known.get(name) !== state) this.agents.set(new Map([...known, [name, state]]));
  }
}
