import { describe, expect, test } from "bun:test";
import { stillClock } from "../../../test/support/clock.ts";
import { testContext } from "../../../test/support/context.ts";
import { eachDatabase } from "../../../test/support/databases.ts";
import { transact } from "../../db/transact.ts";
import { onControl, publishControl } from "./control.ts";

describe("control announcements", () => {
  eachDatabase((_, open) => {
    async function start() {
      const clock = stillClock();
      const database = await open(clock);
      const ctx = testContext(database, { clock });
      const heard: string[] = [];
      onControl(ctx, "key_revoked", (subject) => heard.push(`key ${subject}`));
      onControl(ctx, "session_ended", (subject) => heard.push(`session ${subject}`));
      return { clock, ctx, heard, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
    }

    test("are received at once, inside a transaction after the commit, and never after a rollback", async () => {
      await using t = await start();
      publishControl(t.ctx, "session_ended", 7);
      expect(t.heard).toEqual(["session 7"]);
      await transact(t.ctx, async (ctx) => {
        publishControl(ctx, "key_revoked", "abc");
        expect(t.heard).toHaveLength(1);
      });
      expect(t.heard).toEqual(["session 7", "key abc"]);
      const failing = transact(t.ctx, async (ctx) => {
        publishControl(ctx, "session_ended", 8);
        throw new Error("rolled back");
      });
      await expect(failing).rejects.toThrow("rolled back");
      expect(t.heard).toHaveLength(2);
    });

    test("reach every handler even if one throws", async () => {
      await using t = await start();
      onControl(t.ctx, "user_changed", () => {
        throw new Error("a handler fails");
      });
      onControl(t.ctx, "user_changed", (subject) => t.heard.push(`user ${subject}`));
      publishControl(t.ctx, "user_changed", 3);
      expect(t.heard).toEqual(["user 3"]);
    });
  });
});
