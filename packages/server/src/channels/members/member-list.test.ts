import { expect, test } from "bun:test";
import { agent, user } from "../../../test/support/actors.ts";
import { testContext } from "../../../test/support/context.ts";
import { eachDatabase } from "../../../test/support/databases.ts";
import { planOf } from "../../../test/support/plan.ts";
import { listMembers, usersIn } from "./member-list.store.ts";
import { insertMember } from "./members.store.ts";

eachDatabase((dialect, open) => {
  test("a page of members is read in the order of an index, and never all members of a role are sorted", async () => {
    await using database = await open();
    const { db } = testContext(database);
    const plan = await planOf(db, dialect, usersIn(db, { channelId: 1, role: "member", limit: 50, offset: 0 }));
    expect(plan).toContain("channel_members_in_order");
  });

  test("pages of any size and place are parts of one list: owner, admins, members, agents, each by joining", async () => {
    await using database = await open();
    const ctx = testContext(database);
    const places: { name: string; rank: number; joinedAt: number; id: number }[] = [];
    const roles = ["member", "admin", "member", "owner", "member", "admin", "member"] as const;
    for (const [n, role] of roles.entries()) {
      const { userId, username: name } = await user(ctx, `user${n}`);
      const joinedAt = (n * 5) % 4;
      await insertMember(ctx.db, { channelId: 1, userId, role, joinedAt });
      places.push({ name, rank: ["owner", "admin", "member"].indexOf(role), joinedAt, id: userId });
    }
    for (let n = 0; n < 3; n += 1) {
      const { agentId } = await agent(ctx, `Bot${n}`);
      const row = { channel_id: 1, agent_id: agentId, added_by: null, muted_until: null, joined_at: 9 - n };
      await ctx.db.insertInto("channel_agents").values(row).execute();
      places.push({ name: `Bot${n}`, rank: 3, joinedAt: 9 - n, id: agentId });
    }
    const all = places.sort((a, b) => a.rank - b.rank || a.joinedAt - b.joinedAt || a.id - b.id);
    for (let limit = 1; limit <= 11; limit += 1) {
      for (let offset = 0; offset <= 11; offset += 1) {
        const page = await listMembers(ctx.db, 1, { limit, offset });
        expect(page.map(({ name }) => name)).toEqual(all.slice(offset, offset + limit).map(({ name }) => name));
      }
    }
  });
});
