import { expect, test } from "bun:test";
import { mailSender } from "../../src/mail/start.ts";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { TestMailServer } from "../support/mail/mail-server.ts";
import { outbox } from "../support/mail/outbox.ts";
import { eventually } from "../support/servers/test-server.ts";

test("two nodes that both believe that the duty is theirs send each mail once, and count an address together", async () => {
  await using mailbox = await TestMailServer.start();
  await using cluster = await startNodes(2, { bus: "memory", config: mailbox.settings() });
  const [first, second] = cluster.nodes;
  if (first === undefined || second === undefined) throw new Error("The cluster has no nodes.");
  const addresses = Array.from({ length: 12 }, (_, n) => `person${n}@example.org`);
  for (const [n, email] of addresses.entries()) {
    const on = n % 2 === 0 ? first : second;
    const ann = await on.user(`user-${n}`);
    expect((await ann.put(`/api/user/user-${n}`, { email })).status).toBe(200);
  }
  for (let n = 0; n < 5; n++) {
    const on = n % 2 === 0 ? first : second;
    const ann = await on.user(`other-${n}`);
    await ann.put(`/api/user/other-${n}`, { email: "shared@example.org" });
  }
  await eventually(
    "all mails have ended",
    async () => {
      await Promise.all(cluster.nodes.map(({ ctx }) => mailSender(ctx).pass()));
      return (await outbox(first.ctx)).every(({ state }) => ["sent", "dropped"].includes(state));
    },
    60_000,
  );
  expect(addresses.map((email) => mailbox.to(email).length)).toEqual(addresses.map(() => 1));
  expect(mailbox.to("shared@example.org")).toHaveLength(3);
});
