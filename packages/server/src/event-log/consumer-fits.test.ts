import { describe, expect, test } from "bun:test";
import { addChannel, node, note, numbers, options, upTo } from "../../test/support/consumers.ts";
import { eachDatabase } from "../../test/support/databases.ts";
import { putMessages } from "../../test/support/put-messages.ts";
import { eventually } from "../../test/support/servers/test-server.ts";
import { consumeMessages } from "./consumer.ts";
import { seqsIn } from "./span.ts";

eachDatabase((_name, open) => {
  describe("a consumer whose transactions hold two events at most", () => {
    test("handles the halves of what does not fit, in order and each event once", async () => {
      await using db = await open();
      await using ctx = node(db);
      await putMessages(ctx, Array(7).fill({}));
      const other = await addChannel(ctx, 3);
      const sizes: number[] = [];
      const small = options({
        fits: async (_ctx, spans) => seqsIn(spans) <= 2,
        async handle(ctx, spans) {
          sizes.push(seqsIn(spans));
          await note(ctx, spans);
        },
      });
      const each = async () => [await numbers(ctx, 1), await numbers(ctx, other)];
      consumeMessages(ctx, small);
      await eventually("all are handled", async () => (await each()).flat().length === 10);
      expect(await each()).toEqual([upTo(7), upTo(3)]);
      await consumeMessages(ctx, { ...small, purpose: "waits for all" }).flush();
      expect(await each()).toEqual([
        [...upTo(7), ...upTo(7)],
        [...upTo(3), ...upTo(3)],
      ]);
      expect(Math.max(...sizes)).toBe(2);
    });
  });
});
