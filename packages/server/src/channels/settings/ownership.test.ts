import { expect, test } from "bun:test";
import { user } from "../../../test/support/actors.ts";
import { testContext } from "../../../test/support/context.ts";
import { eachDatabase } from "../../../test/support/databases.ts";
import { joinUnpaid } from "../../../test/support/join.ts";
import { findChannel } from "../channel-cache.ts";
import { leaveChannel } from "../members/join.service.ts";
import { membersOf, removeMember, updateMembership } from "../members/members.service.ts";
import { createChannel, updateChannel } from "./settings.service.ts";

eachDatabase((_name, open) => {
  test("a transfer of ownership to a member who leaves, is kicked or loses their role succeeds or fails as a whole", async () => {
    await using database = await open();
    const ctx = testContext(database);
    const [ann, bob] = [await user(ctx, "ann"), await user(ctx, "bob")];
    for (let round = 0; round < 8; round += 1) {
      const { id } = await createChannel(ctx, ann, { name: `Tea ${round}` });
      await joinUnpaid(ctx, bob, { id });
      const acts = [
        () => updateChannel(ctx, ann, { id }, { owner_username: "bob" }),
        () => leaveChannel(ctx, bob, { id }),
        () => removeMember(ctx, ann, { id }, "bob"),
        () => updateMembership(ctx, ann, { id }, "bob", { role: "admin" }),
      ];
      const turned = [...acts.slice(round % 4), ...acts.slice(0, round % 4)];
      await Promise.allSettled(turned.map((act) => act()));
      const { members } = await membersOf(ctx, ann, { id }, {});
      const owners = members.filter(({ role }) => role === "owner").map(({ name }) => name);
      expect(owners).toEqual([(await findChannel(ctx, { id }))?.ownerUsername ?? ""]);
    }
  });
});
