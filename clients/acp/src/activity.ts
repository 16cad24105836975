import type { ToolCallContent, ToolCallUpdate } from "@agentclientprotocol/sdk";
import { inlineCode, oneLine } from "../../shared/src/clean-text.ts";
import { diffText } from "../../shared/src/permission-text.ts";

/** Tool calls that one turn remembers; an agent that makes more loses the details of the oldest. */
const CALLS_MAX = 200;
const PLURALS: Record<string, string> = { search: "searches", fetch: "fetches" };
const WORDS: Record<string, string> = { execute: "run", delete: "deletion", move: "move", switch_mode: "change of mode" };

/** What is known of a tool call: the agent tells it in pieces. */
export type Call = Partial<ToolCallUpdate> & { toolCallId: string };

/** The tool calls of a turn. */
export class Activity {
  readonly #calls = new Map<string, Call>();
  /** Calls that have ended since the last line. */
  #ended: Call[] = [];

  /** Adds what an update says. Returns all that is known of the call. */
  update(update: ToolCallUpdate): Call {
    const known: Call = this.#calls.get(update.toolCallId) ?? { toolCallId: update.toolCallId };
    const given = Object.entries(update).filter(([, value]) => value !== undefined && value !== null);
    const call: Call = { ...known, ...Object.fromEntries(given) };
    this.#calls.delete(update.toolCallId);
    this.#calls.set(update.toolCallId, call);
    const oldest = this.#calls.keys().next().value;
    if (this.#calls.size > CALLS_MAX && oldest !== undefined) this.#calls.delete(oldest);
    if (hasEnded(call) && !hasEnded(known) && this.#ended.length < CALLS_MAX) this.#ended.push(call);
    return call;
  }

  /** Returns one line about the calls that have ended, such as `✓ 3 reads, 1 edit: config.json`, and forgets them. */
  takeLine(): string {
    const ended = this.#ended;
    this.#ended = [];
    if (ended.length === 0) return "";
    const counts = new Map<string, number>();
    for (const { kind } of ended) {
      const word = WORDS[kind ?? "other"] ?? kind ?? "other";
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
    const parts = [...counts].map(([word, count]) => `${count} ${count === 1 ? word : (PLURALS[word] ?? `${word}s`)}`);
    const failed = ended.filter(({ status }) => status === "failed").length;
    const places = [...new Set(ended.flatMap(({ locations }) => locations ?? []).map(({ path }) => baseName(path)))];
    const where = places.length === 0 ? "" : `: ${places.slice(0, 3).map((name) => inlineCode(name, 60)).join(", ")}`;
    const more = places.length > 3 ? ` and ${places.length - 3} more` : "";
    return `${failed === 0 ? "✓" : "✗"} ${parts.join(", ")}${failed === 0 ? "" : ` (${failed} failed)`}${where}${more}`;
  }
}

/** Returns what a status shows of a call. */
export const statusOf = ({ title, kind }: Call): string => oneLine(title ?? kind ?? "working", 120);

const hasEnded = ({ status }: Call): boolean => status === "completed" || status === "failed";

const baseName = (path: string): string => path.split(/[\\/]/).at(-1) || path;

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
