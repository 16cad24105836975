import type { ToolCallContent, ToolCallUpdate, ToolKind } from "@agentclientprotocol/sdk";
import type { ActivityInput } from "@parley/sdk";
import { oneLine, wholeCharacters } from "../../shared/src/clean-text.ts";
import { diffText, sha256 } from "../../shared/src/permission-text.ts";

/** Tool calls that one turn remembers, and acts that one message has. An agent that makes more loses the oldest. */
const CALLS_MAX = 200;
const ACTS_MAX = 50;
const TEXT_MAX = 200;
const NO_END = " (the agent reported no end)";

const KINDS: Readonly<Record<ToolKind, ActivityInput["kind"]>> = {
  read: "read",
  edit: "edit",
  delete: "edit",
  move: "edit",
  search: "search",
  execute: "run",
  think: "think",
  fetch: "fetch",
  switch_mode: "other",
  other: "other",
};

/** What is known of a tool call: the agent tells it in pieces. */
export type Call = Partial<ToolCallUpdate> & { toolCallId: string };

/** The tool calls of a turn. */
export class Activity {
  readonly #calls = new Map<string, Call>();
  /** What the next message has to show. */
  readonly #acts = new Map<string, ActivityInput>();
  /** Calls that people have not permitted: the agent calls them failed. */
  readonly #denied = new Set<string>();

  /** Adds what an update says. Returns all that is known of the call. */
  update(update: ToolCallUpdate): Call {
    const known: Call = this.#calls.get(update.toolCallId) ?? { toolCallId: update.toolCallId };
    const given = Object.entries(update).filter(([, value]) => value !== undefined && value !== null);
    const call: Call = { ...known, ...Object.fromEntries(given) };
    put(this.#calls, update.toolCallId, call, CALLS_MAX);
    put(this.#acts, update.toolCallId, this.#actOf(call), ACTS_MAX);
    return call;
  }

  /** Notes that nobody permitted a call. */
  deny(toolCallId: string): void {
    this.#denied.add(toolCallId);
    const call = this.#calls.get(toolCallId);
    if (call !== undefined) put(this.#acts, toolCallId, this.#actOf(call), ACTS_MAX);
  }

  /** Returns an act that has ended, as people see it. */
  ended(toolCallId: string): ActivityInput | undefined {
    const act = this.#acts.get(toolCallId);
    return act?.status === "running" ? undefined : act;
  }

  /**
   * Returns what has ended since the last message, and forgets it. What still runs belongs to a later message: stored as
   * running, it would run there forever.
   */
  take(): ActivityInput[] {
    const acts = [...this.#acts].filter(([, { status }]) => status !== "running");
    for (const [toolCallId] of acts) this.#acts.delete(toolCallId);
    return acts.map(([, act]) => act);
  }

  /** Whether something was done since the last message. */
  get hasMore(): boolean {
    return this.#acts.size > 0;
  }

  /** Ends with the turn what the agent has not reported as ended. */
  endAll(): void {
    for (const act of this.#acts.values()) {
      if (act.status !== "running") continue;
      act.status = "failed";
      act.title = `${wholeCharacters(act.title, TEXT_MAX - NO_END.length)}${NO_END}`;
    }
  }

  #actOf({ toolCallId, title, kind, status, locations }: Call): ActivityInput {
    const target = oneLine((locations ?? []).map(({ path }) => path).join(", "), TEXT_MAX);
    const ended = { completed: "ok", failed: "failed", pending: "running", in_progress: "running" } as const;
    return {
      id: toolCallId.length <= TEXT_MAX ? toolCallId || "?" : sha256(toolCallId),
      title: oneLine(title ?? "", TEXT_MAX) || "A tool",
      kind: KINDS[kind ?? "other"] ?? "other",
      status: this.#denied.has(toolCallId) ? "denied" : ended[status ?? "pending"],
      ...(target === "" ? {} : { target }),
    };
  }
}

/** Puts an entry at the end of a map, and removes the oldest beyond `max`. */
function put<V>(map: Map<string, V>, key: string, value: V, max: number): void {
  map.delete(key);
  map.set(key, value);
  const oldest = map.keys().next().value;
  if (map.size > max && oldest !== undefined) map.delete(oldest);
}

/** Returns what a status shows of a call. */
export const statusOf = ({ title, kind }: Call): string => oneLine(title ?? kind ?? "working", 120);

/** Returns what a call does, for people who decide about it: its arguments, or its changes to files. */
export function contentOf({ rawInput, content }: Call): { content: string; language: "json" | "diff" } {
  const diffs = (content ?? []).flatMap((each: ToolCallContent) =>
    each.type === "diff" ? [diffText(each.path, each.oldText ?? null, each.newText)] : [],
  );
  if (diffs.length > 0) {
    const input = rawInput === undefined ? [] : [JSON.stringify(rawInput)];
    return { content: [...diffs, ...input].join("\n"), language: "diff" };
  }
  return { content: rawInput === undefined ? "" : JSON.stringify(rawInput, null, 2), language: "json" };
}
