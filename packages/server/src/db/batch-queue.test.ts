import { expect, test } from "bun:test";
import fc from "fast-check";
import { code } from "../../test/support/actors.ts";
import { BatchQueue } from "./batch-queue.ts";

const turn = () => new Promise(setImmediate);
const AWAY = new Error("away");
const ctx = { storageError: (error: unknown) => (error === AWAY ? "storage_unavailable" : undefined) } as const;

/** A database that records commits and fails on request. */
function database(options: { fails?: (batch: readonly string[]) => Error | undefined; turns?: () => number } = {}) {
  const tried: string[] = [];
  const committed: string[] = [];
  let inside = 0;
  const commit = async (drafts: readonly string[]) => {
    expect(++inside).toBe(1);
    tried.push(drafts.join(""));
    for (let left = options.turns?.() ?? 1; left > 0; left--) await turn();
    inside -= 1;
    const error = options.fails?.(drafts);
    if (error !== undefined) throw error;
    committed.push(...drafts);
    return drafts.map((draft) => (draft === "?" ? new Error("refused") : draft.toUpperCase()));
  };
  return { tried, committed, commit };
}

test("drafts that are queued at once are one batch, committed and answered in order", async () => {
  const { tried, commit } = database();
  const queue = new BatchQueue(ctx, { commit });
  const told: string[] = [];
  const adding = ["a", "b", "c"].map((draft) => queue.add(draft).then((answer) => told.push(answer)));
  expect(tried).toEqual([]);
  await Promise.all(adding);
  expect([tried, told]).toEqual([["abc"], ["A", "B", "C"]]);
});

test("drafts that arrive during a commit form the next batches, none of which is too large", async () => {
  const { tried, commit } = database({ turns: () => 3 });
  const queue = new BatchQueue(ctx, { commit, batchMax: 3 });
  const first = queue.add("a");
  await turn();
  await turn();
  const later = [..."bcdefgh"].map((draft) => queue.add(draft));
  await Promise.all([first, ...later]);
  expect(tried).toEqual(["a", "bcd", "efg", "h"]);
});

test("a busy queue waits for senders that return each turn, but not indefinitely", async () => {
  const { tried, commit } = database();
  const queue = new BatchQueue(ctx, { commit, turnsMax: 2 });
  await Promise.all([queue.add("a"), queue.add("b")]);
  const all: Promise<string>[] = [];
  for (const draft of "cdefghijk") {
    all.push(queue.add(draft));
    await turn();
  }
  await Promise.all(all);
  const [, second = "", third = ""] = tried;
  expect(second.length).toBeGreaterThan(1);
  expect(third.length).toBeGreaterThan(0);
  expect(tried.join("")).toBe("abcdefghijk");
});

test("a busy queue waits for as many drafts as last time, across turns without drafts", async () => {
  const { tried, commit } = database();
  const queue = new BatchQueue(ctx, { commit });
  await Promise.all([queue.add("a"), queue.add("b")]);
  const third = queue.add("c");
  await turn();
  await turn();
  await Promise.all([third, queue.add("d")]);
  await queue.add("e");
  expect(tried).toEqual(["ab", "cd", "e"]);
});

test("a draft that must be alone shares a batch with none before or after it", async () => {
  const { tried, commit } = database();
  const queue = new BatchQueue(ctx, { commit, goesAlone: (draft) => draft === draft.toUpperCase() });
  await Promise.all([..."abCdeFGh"].map((draft) => queue.add(draft)));
  expect(tried).toEqual(["ab", "C", "de", "F", "G", "h"]);
});

test("a refused draft does not fail the others, and nothing is retried", async () => {
  const { tried, commit } = database();
  const queue = new BatchQueue(ctx, { commit });
  const results = await Promise.allSettled([..."a?b"].map((draft) => queue.add(draft)));
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(tried).toEqual(["a?b"]);
});

test("a failing draft does not fail the others: each is retried alone and in order, before later ones", async () => {
  const fails = (batch: readonly string[]) => (batch.includes("x") ? new Error("no") : undefined);
  const { tried, committed, commit } = database({ fails });
  const queue = new BatchQueue(ctx, { commit, batchMax: 3 });
  const results = await Promise.allSettled([..."axbc"].map((draft) => queue.add(draft)));
  expect(tried).toEqual(["axb", "a", "x", "b", "c"]);
  expect(committed.join("")).toBe("abc");
  expect(results.map((each) => (each.status === "fulfilled" ? each.value : String(each.reason)))).toEqual([
    "A",
    "Error: no",
    "B",
    "C",
  ]);
});

test("when the database is unavailable the whole batch fails without a retry, and the next one is tried", async () => {
  let isAway = true;
  const { tried, commit } = database({ fails: () => (isAway ? AWAY : undefined) });
  const queue = new BatchQueue(ctx, { commit });
  const results = await Promise.allSettled([queue.add("a"), queue.add("b")]);
  expect(results.map((each) => each.status === "rejected" && each.reason)).toEqual([AWAY, AWAY]);
  isAway = false;
  expect(await queue.add("c")).toBe("C");
  expect(tried).toEqual(["ab", "c"]);
});

test("a full queue refuses only the excess, and accepts drafts again later", async () => {
  const { committed, commit } = database();
  const queue = new BatchQueue(ctx, { commit, queueMax: 2 });
  const taken = [queue.add("a"), queue.add("b")];
  expect(() => queue.add("c")).toThrow(code("overloaded"));
  await Promise.all(taken);
  await queue.add("d");
  expect(committed.join("")).toBe("abd");
});

test("a queue with too many waiting bytes refuses drafts, and accepts them again later", async () => {
  const { tried, committed, commit } = database();
  const queue = new BatchQueue(ctx, { commit, batchMax: 2, bytesOf: (draft) => draft.length, queueBytes: 5 });
  const first = ["aaa", "bb"].map((draft) => queue.add(draft));
  expect(() => queue.add("c")).toThrow(code("overloaded"));
  await Promise.all(first);
  const later = ["d", "e", "ff", "g"].map((draft) => queue.add(draft));
  expect(() => queue.add("h")).toThrow(code("overloaded"));
  await Promise.all(later);
  await queue.add("i");
  expect(committed.join("")).toBe("aaabbdeffgi");
  expect(tried).toEqual(["aaabb", "de", "ffg", "i"]);
});

test("settled() resolves when all drafts are answered, including new ones, and at once when idle", async () => {
  const { committed, commit } = database();
  const queue = new BatchQueue(ctx, { commit });
  await queue.settled();
  const first = queue.add("a").then(() => queue.add("b"));
  await queue.settled();
  expect(committed.join("")).toBe("ab");
  await first;
});

/** Letters are drafts, x fails and ? is refused; `-` is an event-loop turn without drafts. */
const arrivals = fc.array(fc.constantFrom(..."abcdefX?x-"), { maxLength: 40 });

test("every draft is answered once with its own result, and committed drafts keep their order (property)", async () => {
  await fc.assert(
    fc.asyncProperty(
      arrivals,
      fc.infiniteStream(fc.nat({ max: 3 })),
      fc.integer({ min: 1, max: 5 }),
      async (script, turns, batchMax) => {
        const fails = (batch: readonly string[]) => (batch.includes("x") ? new Error("no") : undefined);
        const { committed, commit } = database({ fails, turns: () => turns.next().value ?? 0 });
        const queue = new BatchQueue(ctx, { commit, batchMax, goesAlone: (draft) => draft === "X" });
        const told: [string, string][] = [];
        const added: string[] = [];
        for (const draft of script) {
          if (draft === "-") await turn();
          else {
            added.push(draft);
            queue.add(draft).then(
              (answer) => told.push([draft, answer]),
              (error: Error) => told.push([draft, error.message]),
            );
          }
        }
        await queue.settled();
        await turn();
        expect(told.map(([draft]) => draft)).toEqual(added);
        for (const [draft, answer] of told) {
          expect(answer).toBe(draft === "x" ? "no" : draft === "?" ? "refused" : draft.toUpperCase());
        }
        expect(committed).toEqual(added.filter((draft) => draft !== "x"));
      },
    ),
  );
});
