import { expect } from "bun:test";
import { checkFile } from "../../../../../tools/check-history/check-file.ts";
import { messageOf } from "./history-recorder.ts";
import type { Lab, LabNode } from "./lab.ts";

/**
 * Reads a channel's whole history on a node at the end of a run, for the checker. Calls `each` with every message, and
 * returns a hash of all bytes.
 */
export async function readHistory(
  lab: Lab,
  node: LabNode,
  channelId: number,
  headers: Record<string, string>,
  each: (message: { seq: number; content: string }) => void = () => {},
): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  for (let after = 0; ; ) {
    const where = { client: "judge", node: node.name, channel: channelId, after };
    const op = lab.history.begin({ f: "page", final: true, ...where });
    const query = `channel_id=${channelId}&limit=200&after_seq=${after}`;
    const answer = await fetch(`${node.url}/api/messages?${query}`, { headers });
    const page = (await answer.json()) as Page;
    const { messages, has_more: more, last_seq } = page;
    lab.history.end(op, "ok", { messages: messages.map(messageOf), more, last_seq });
    hash.update(JSON.stringify(messages));
    for (const message of messages) each(message);
    if (!more) return hash.digest("hex");
    after = page.next_after_seq;
  }
}

interface Page {
  messages: { seq: number; id: number; content: string }[];
  last_seq: number;
  has_more: boolean;
  next_after_seq: number;
}

/** The figures of a run whose history broke no promise. */
export interface Verdict {
  messages: number;
  operations: number;
  /** Calls of which nobody knows whether they took effect. */
  unknown: number;
  faults: number;
}

/**
 * Reads a channel whole on every node, ends the history and lets the checker judge it. Fails if a promise was broken, or
 * if two nodes differ in a single byte.
 */
export async function judge(lab: Lab, channelId: number, headers: Record<string, string>): Promise<Verdict> {
  let messages = 0;
  const hashes: string[] = [];
  for (const node of lab.nodes) {
    messages = 0;
    hashes.push(await readHistory(lab, node, channelId, headers, () => (messages += 1)));
  }
  expect(new Set(hashes).size).toBe(1);
  lab.history.close();
  const { problems, operations, unknown, faults } = await checkFile(lab.history.path);
  expect(problems.found, `of the history ${lab.history.path}`).toEqual([]);
  return { messages, operations, unknown, faults };
}
