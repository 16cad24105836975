import { sql } from "kysely";
import type { ColumnTypes } from "../columns.ts";
import type { Db } from "../db.ts";
import type { Migration } from "./migration.ts";

/**
 * The points that a new user got before there was a ledger, unless configured otherwise, and the reward of an
 * invitation.
 */
const GRANT = 100;
const INVITE = 10;

/**
 * The points ledger and the sources of points (tables/points.ts). Existing accounts are credited with the points they
 * were shown and with their invitations.
 */
export const points: Migration = {
  name: "0002-points",
  async up({ db, columns, clock, run }) {
    await run([...ledger(columns), ...honor(columns)]);
    await carryOver(db, clock.now());
    await run([...columns.appendOnly("ledger_transfers"), ...columns.appendOnly("ledger_entries")]);
  },
};

function ledger(c: ColumnTypes): string[] {
  return [
    `create table ledger_transfers (
      id ${c.lastingId},
      key ${c.text} not null,
      kind ${c.text} not null,
      created_at ${c.time} not null
    ) ${c.table}`,
    "create unique index ledger_transfers_key on ledger_transfers (key)",
    `create table ledger_entries (
      id ${c.lastingId},
      transfer_id ${c.integer} not null references ledger_transfers (id),
      currency ${c.text} not null,
      account ${c.text} not null,
      amount ${c.text} not null check (amount <> '0' and ${isDecimal("ltrim(amount, '-')")} and
        (amount = ltrim(amount, '-') or amount = '-' || ltrim(amount, '-'))),
      balance ${c.text} check (${isDecimal("balance")}),
      check ((balance is null) = (substr(account, 1, 7) = 'system:'))
    ) ${c.table}`,
    "create index ledger_entries_by_account on ledger_entries (account, id)",
    "create index ledger_entries_by_transfer on ledger_entries (transfer_id)",
    // Digits only, so none is negative.
    `create table ledger_balances (
      account ${c.text} not null check (substr(account, 1, 7) <> 'system:'),
      currency ${c.text} not null,
      balance ${c.text} not null check (${isDecimal("balance")}),
      primary key (account, currency)
    ) ${c.clusteredTable}`,
  ];
}

/** Checks for digits without a leading zero, in SQL that both dialects have. */
const isDecimal = (text: string): string =>
  `length(${text}) > 0 and ltrim(${text}, '0123456789') = '' and (substr(${text}, 1, 1) <> '0' or ${text} = '0')`;

function honor(c: ColumnTypes): string[] {
  return [
    `create table honor (
      user_id ${c.integer} primary key references users (id) on delete cascade,
      total_points ${c.integer} not null default 0 check (total_points >= 0),
      message_count ${c.integer} not null default 0 check (message_count >= 0),
      online_ms ${c.integer} not null default 0 check (online_ms >= 0),
      counted_until ${c.time}
    ) ${c.table}`,
  ];
}

async function carryOver(db: Db, now: number): Promise<void> {
  const grant = sql.lit(GRANT);
  const invite = sql.lit(INVITE);
  await sql`
    insert into honor (user_id, total_points)
    select id, ${invite} * (select count(*) from users guest where guest.invited_by = users.id) from users`.execute(db);
  await sql`
    insert into ledger_transfers (key, kind, created_at)
    select 'grant:' || id, 'grant', ${sql.lit(now)} from users order by id`.execute(db);
  await sql`
    insert into ledger_transfers (key, kind, created_at)
    select 'invite:' || id, 'invite', ${sql.lit(now)} from users where invited_by is not null order by id`.execute(db);
  await sql`
    insert into ledger_entries (transfer_id, currency, account, amount, balance)
    select t.id, 'points', 'user:' || users.id, cast(${grant} as text), cast(${grant} as text)
    from users join ledger_transfers t on t.key = 'grant:' || users.id order by t.id`.execute(db);
  await sql`
    insert into ledger_entries (transfer_id, currency, account, amount, balance)
    select t.id, 'points', 'user:' || invited_by, cast(${invite} as text),
      cast(${grant} + ${invite} * row_number() over (partition by invited_by order by t.id) as text)
    from users join ledger_transfers t on t.key = 'invite:' || users.id order by t.id`.execute(db);
  await sql`
    insert into ledger_entries (transfer_id, currency, account, amount, balance)
    select id, 'points', case kind when 'grant' then 'system:grants' else 'system:activity' end,
      case kind when 'grant' then cast(-${grant} as text) else cast(-${invite} as text) end, null
    from ledger_transfers order by id`.execute(db);
  await sql`
    insert into ledger_balances (account, currency, balance)
    select 'user:' || user_id, 'points', cast(${grant} + total_points as text) from honor`.execute(db);
}
