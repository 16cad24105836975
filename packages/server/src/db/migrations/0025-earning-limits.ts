import type { ColumnTypes } from "../columns.ts";
import type { Migration } from "./migration.ts";

/** Counters for the daily limits of activity rewards, and invitations that are paid later (tables/points.ts). */
export const earningLimits: Migration = {
  name: "0025-earning-limits",
  async up({ columns, run }) {
    await run([...dailyEarnings(columns), ...pendingInvitations(columns)]);
  },
};

function dailyEarnings(c: ColumnTypes): string[] {
  return [
    `create table daily_earnings (
      user_id ${c.integer} not null references users (id) on delete cascade,
      day ${c.integer} not null,
      ${c.oneOf("source", ["like", "messages", "online"])},
      giver_id ${c.integer} not null,
      amount ${c.integer} not null check (amount > 0),
      primary key (user_id, day, source, giver_id)
    ) ${c.clusteredTable}`,
  ];
}

function pendingInvitations(c: ColumnTypes): string[] {
  return [
    `create table pending_invitations (
      user_id ${c.integer} primary key references users (id) on delete cascade,
      inviter_id ${c.integer} not null references users (id) on delete cascade,
      due_at ${c.time} not null,
      first_day ${c.integer},
      ${c.flag("wrote_again")}
    ) ${c.table}`,
    "create index pending_invitations_by_inviter on pending_invitations (inviter_id)",
    "create index pending_invitations_due on pending_invitations (due_at) where wrote_again = 1",
  ];
}
