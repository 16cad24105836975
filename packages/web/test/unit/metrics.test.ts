import { expect, test } from "bun:test";
import { addSample, perSecond, readMetrics, type Sample } from "../../src/admin/metrics.ts";

const of = (node: string, sent: number, at: number): Sample =>
  readMetrics(`parley_cluster_node_info{id="${node}",name="${node}"} 1\nparley_frames_sent_total ${sent}\n`, at);

test("a sample of the metrics names the node that answered, if there is a cluster", () => {
  expect(of("a1", 5, 0).node).toEqual({ id: "a1", name: "a1" });
  expect(readMetrics("parley_sockets_open 5\n", 0).node).toBeNull();
});

test("samples of different nodes are not mixed: their counters cannot be compared", () => {
  let shown: readonly Sample[] = [];
  for (const [node, sent, at] of [
    ["a", 100, 0],
    ["b", 9_000, 2_000],
    ["a", 140, 4_000],
  ] as const) {
    shown = addSample(shown, of(node, sent, at), 61);
  }
  const [before, now] = shown;
  if (before === undefined || now === undefined) return expect.unreachable();
  expect(perSecond("parley_frames_sent_total")(now, before)).toBe(10);
  expect(shown).toHaveLength(2);

  shown = addSample(shown, of("b", 9_100, 33_999), 61);
  expect(shown).toHaveLength(2);
  shown = addSample(shown, of("b", 9_200, 34_000), 61);
  expect(shown.map(({ node }) => node?.id)).toEqual(["b"]);
});

test("as many samples are kept as are shown", () => {
  let shown: readonly Sample[] = [];
  for (let at = 0; at < 5; at++) shown = addSample(shown, readMetrics("up 1\n", at), 3);
  expect(shown.map(({ at }) => at)).toEqual([2, 3, 4]);
});
