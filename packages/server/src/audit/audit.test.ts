import { describe, expect, test } from "bun:test";
import { user } from "../../test/support/actors.ts";
import { testContext } from "../../test/support/context.ts";
import { eachDatabase } from "../../test/support/databases.ts";
import { transact } from "../db/transact.ts";
import { audit, COMMAND_LINE, readAudit } from "./audit.ts";

eachDatabase((_name, open) => {
  describe("the audit log", () => {
    test("is append-only: the database refuses to change or delete a line", async () => {
      await using database = await open();
      const ctx = testContext(database);
      await audit(ctx, COMMAND_LINE, "owner_create", "user:1");
      for (const act of [
        () => ctx.db.updateTable("audit_log").set({ actor: "nobody" }).execute(),
        () => ctx.db.deleteFrom("audit_log").execute(),
        () => ctx.db.deleteFrom("audit_log").where("id", "=", 1).execute(),
      ]) {
        await expect(act()).rejects.toThrow("append-only");
      }
      expect((await readAudit(ctx, {})).entries).toHaveLength(1);
    });

    test("has no line of a transaction that was rolled back", async () => {
      await using database = await open();
      const ctx = testContext(database);
      const failing = transact(ctx, async (ctx) => {
        await audit(ctx, COMMAND_LINE, "owner_create", "user:1");
        throw new Error("no");
      });
      await expect(failing).rejects.toThrow("no");
      expect((await readAudit(ctx, {})).entries).toEqual([]);
    });

    test("is read in pages, newest first, with filters and current names", async () => {
      await using database = await open();
      const ctx = testContext(database);
      const ann = await user(ctx, "Ann", 2);
      for (let n = 1; n <= 5; n += 1) await audit(ctx, ann, "message_delete", `message:${n}`);
      await audit(ctx, COMMAND_LINE, "user_suspend", `user:${ann.userId}`, { until: null });
      await audit(ctx, ann, "channel_update", "channel:1", { fields: ["topic"] });

      const first = await readAudit(ctx, { limit: 3 });
      expect(first.entries.map(({ subject, subject_name }) => [subject, subject_name])).toEqual([
        ["channel:1", "general"],
        [`user:${ann.userId}`, "Ann"],
        ["message:5", null],
      ]);
      expect(first).toMatchObject({ has_more: true, limit: 3, next_before: first.entries[2]?.audit_id });
      const rest = await readAudit(ctx, { before: first.next_before ?? 0 });
      expect(rest.entries.map(({ subject }) => subject)).toEqual(["message:4", "message:3", "message:2", "message:1"]);
      expect(rest).toMatchObject({ has_more: false, next_before: null, limit: 50 });

      const found = async (filter: Parameters<typeof readAudit>[1]) =>
        (await readAudit(ctx, filter)).entries.map(({ action }) => action);
      expect(await found({ actor: "ANN" })).toHaveLength(6);
      expect(await found({ actor: "command line" })).toEqual(["user_suspend"]);
      expect(await found({ action: "message_delete", actor: "ann" })).toHaveLength(5);
      expect(await found({ subject: "channel:1" })).toEqual(["channel_update"]);
      expect(await found({ actor: "nobody" })).toEqual([]);
    });
  });
});
