import type { Lab, LabNode } from "./lab.ts";
import type { Writer } from "./writer.ts";

/** Reads a channel's whole history on a node. Calls `each` with every message, and returns a hash of all bytes. */
export async function readHistory(
  node: LabNode,
  channelId: number,
  headers: Record<string, string>,
  each: (message: { seq: number; content: string }) => void = () => {},
): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  for (let after = 0; ; ) {
    const query = `channel_id=${channelId}&limit=200&after_seq=${after}`;
    const answer = await fetch(`${node.url}/api/messages?${query}`, { headers });
    const page = (await answer.json()) as Page;
    hash.update(JSON.stringify(page.messages));
    for (const message of page.messages) each(message);
    if (!page.has_more) return hash.digest("hex");
    after = page.next_after_seq;
  }
}

interface Page {
  messages: { seq: number; content: string }[];
  has_more: boolean;
  next_after_seq: number;
}

/** What is wrong with a channel's history after a run; all are 0 if the cluster keeps its promises. */
export interface Verdict {
  messages: number;
  /** Acknowledged, but not in the history under the seq that the ack named. */
  lost: number;
  /** Stored twice. */
  doubled: number;
  /** Seqs without a message. */
  gaps: number;
  /** Nodes whose history differs from the first node's. */
  differing: number;
}

/** Compares the history with what was acknowledged, on every node. `writers` by the first word of their messages. */
export async function judge(
  lab: Lab,
  channelId: number,
  headers: Record<string, string>,
  writers: ReadonlyMap<string, Writer>,
): Promise<Verdict> {
  const verdict: Verdict = { messages: 0, lost: 0, doubled: 0, gaps: 0, differing: 0 };
  const found = new Map([...writers.keys()].map((name) => [name, new Map<number, number>()]));
  let last = 0;
  const expected = await readHistory(lab.node(0), channelId, headers, ({ seq, content }) => {
    verdict.messages += 1;
    verdict.gaps += seq - last - 1;
    last = seq;
    const [name = "", n] = content.split(" ");
    const own = found.get(name);
    if (own?.has(Number(n))) verdict.doubled += 1;
    own?.set(Number(n), seq);
  });
  for (const [name, writer] of writers) {
    writer.acked.forEach((seq, n) => {
      if (found.get(name)?.get(n) !== seq) verdict.lost += 1;
    });
  }
  for (const node of lab.nodes.slice(1)) {
    if ((await readHistory(node, channelId, headers)) !== expected) verdict.differing += 1;
  }
  return verdict;
}
