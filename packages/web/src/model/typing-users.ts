import type { ActorKind } from "@parley/protocol/values";
import { Store } from "../state/store.ts";

/** A typing state expires after this long. A thinking agent repeats it every 5 s. */
const FADES_MS = { user: 6_000, agent: 12_000 } as const;

/** A user who is typing, or an agent that is thinking. */
export interface TypingUser {
  kind: ActorKind;
  name: string;
  /** The thread where they do; null: in the channel itself. */
  rootId: number | null;
}

/** The state of an agent that reports one; other agents have none. */
export type AgentState = "thinking" | "idle";

interface Held extends TypingUser {
  timer: ReturnType<typeof setTimeout>;
}

/** The users who are typing in a channel and its threads, each in one place, and the agents that are thinking. */
export class TypingUsers {
  readonly all = new Store<readonly TypingUser[]>([]);
  /** By name; only agents that have reported a state. */
  readonly agents = new Store<ReadonlyMap<string, AgentState>>(new Map());
  readonly #held = new Map<string, Held>();

  set(kind: ActorKind, name: string, isTyping: boolean, rootId: number | null = null): void {
    const key = `${kind} ${name}`;
    const before = this.#held.get(key);
    clearTimeout(before?.timer);
    if (isTyping) {
      const timer = setTimeout(() => this.set(kind, name, false), FADES_MS[kind]);
      this.#held.set(key, { kind, name, rootId, timer });
    } else {
      this.#held.delete(key);
    }
    if (kind === "agent" && (isTyping || this.agents.get().has(name))) this.#tell(name, isTyping ? "thinking" : "idle");
    if (isTyping !== (before !== undefined) || (isTyping && before?.rootId !== rootId)) {
      this.all.set([...this.#held.values()].map(({ timer: _, ...user }) => user));
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
