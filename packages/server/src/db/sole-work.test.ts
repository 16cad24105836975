import { expect, test } from "bun:test";
import { eachDatabase } from "../../test/support/databases.ts";
import { doAlone, WorkTaken } from "./sole-work.ts";

eachDatabase((name, open) => {
  test("work is done by one at a time in a schema, and by others in other schemas", async () => {
    await using one = await open();
    await using other = await open();
    const work = { name: "import", path: null };
    const done: string[] = [];
    await doAlone(one.db, work, async () => {
      await doAlone(other.db, work, async () => {
        done.push("other");
      });
      if (name === "postgres") await expect(doAlone(one.db, work, async () => {})).rejects.toBeInstanceOf(WorkTaken);
      await doAlone(one.db, { ...work, name: "more" }, async () => {
        done.push("more");
      });
    });
    await doAlone(one.db, work, async () => {
      done.push("again");
    });
    expect(done).toEqual(["other", "more", "again"]);
  });
});
