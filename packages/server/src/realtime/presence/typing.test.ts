import { expect, test } from "bun:test";
import { ManualScheduler } from "../../base/scheduler.ts";
import type { AppContext } from "../../context.ts";
import { publishTyping } from "./typing.ts";

function start({ isCluster, online = 2 }: { isCluster: boolean; online?: number }) {
  const scheduler = new ManualScheduler();
  const sent: string[] = [];
  const ctx = {
    cluster: isCluster ? {} : null,
    slots: new Map(),
    presence: { counts: () => [{ count: online, guests: 0 }] },
    afterCommit: (act: () => void) => act(),
    broker: {
      publish: (topic: string, messages: { frame: string }[]) => {
        const shown = messages.map(({ frame }) => JSON.parse(frame).data);
        sent.push(
          `${scheduler.now} ${topic} ${shown.map(({ name, typing }) => `${typing ? "+" : "-"}${name}`).join(" ")}`,
        );
      },
    },
  } as unknown as AppContext;
  Object.assign(ctx, { root: ctx });
  const type = (name: string, typing = true, channelId = 7) =>
    publishTyping(ctx, channelId, { kind: "user", name, typing }, scheduler);
  return { scheduler, sent, type };
}

test("a lone server sends each typing indicator at once", () => {
  const { sent, type } = start({ isCluster: false, online: 5_000 });
  type("ann");
  type("bob");
  type("ann", false);
  expect(sent).toEqual(["0 c:7 +ann", "0 c:7 +bob", "0 c:7 -ann"]);
});

test("a cluster sends the first typing indicator at once, then each actor's newest every 100 ms", () => {
  const { sent, type, scheduler } = start({ isCluster: true });
  type("ann");
  type("ann", false);
  type("bob");
  type("cid");
  type("bob", false);
  type("dan", true, 8);
  scheduler.advance(1_000);
  expect(sent).toEqual(["0 c:7 +ann", "0 c:8 +dan", "100 c:7 -ann -bob +cid"]);
  expect(scheduler.waiting).toBe(0);
  type("eve");
  expect(sent.at(-1)).toBe("1000 c:7 +eve");
});

test("a cluster sends no typing indicators in a channel with more than 1,000 online", () => {
  const { sent, type } = start({ isCluster: true, online: 1_001 });
  type("ann");
  expect(sent).toEqual([]);
});
