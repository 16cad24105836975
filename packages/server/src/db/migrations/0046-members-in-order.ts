import type { Migration } from "./migration.ts";

/** The members of a channel in the order of their list, so that a page does not sort all of them. */
export const membersInOrder: Migration = {
  name: "0046-members-in-order",
  async up() {},
  indexes: [{ name: "channel_members_in_order", on: "channel_members (channel_id, role, joined_at, user_id)" }],
};
