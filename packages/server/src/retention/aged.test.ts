import { expect, test } from "bun:test";
import { testContext } from "../../test/support/context.ts";
import { eachDatabase } from "../../test/support/databases.ts";
import { planOf } from "../../test/support/plan.ts";
import { limitedChannels } from "./aged.store.ts";

eachDatabase((dialect, open) => {
  test("channels with a retention of their own are found without a walk through all channels", async () => {
    await using database = await open();
    const { db } = testContext(database);
    const query = limitedChannels(db, { after: 0, all: false, now: 1, limit: 500 });
    expect(await planOf(db, dialect, query)).toContain("channels_with_retention");
  });
});
