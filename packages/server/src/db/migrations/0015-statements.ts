import type { ColumnTypes } from "../columns.ts";
import type { Migration } from "./migration.ts";

const DIGITS = "'0123456789'";
/** The value of `LEGS_MAX` when this was written. */
const LEGS = 1024;

/**
 * Numbers ledger entries by transfer and links each to the previous entry of its account, so that a transfer's entries
 * and a statement are read without an index (tables/points.ts). An index by account has a page for each account that
 * moves, and a batch of claims had to write all of them.
 */
export const statements: Migration = {
  name: "0015-statements",
  async up({ columns: c, run }) {
    await run([
      ...newNumbers(c),
      ...newEntries(c),
      ...newBalances(c),
      "drop table new_ledger_numbers",
      "drop table ledger_entries",
      "alter table new_ledger_entries rename to ledger_entries",
      "drop table ledger_balances",
      "alter table new_ledger_balances rename to ledger_balances",
      // Finds the movements of a treasury; by the table's rule, only system accounts have no balance.
      "create index ledger_entries_of_system on ledger_entries (account, id) where balance is null",
      ...c.appendOnly("ledger_entries"),
    ]);
  },
};

function newNumbers(c: ColumnTypes): string[] {
  return [
    `create table new_ledger_numbers (old_id ${c.integer} primary key, id ${c.integer} not null) ${c.table}`,
    `insert into new_ledger_numbers (old_id, id)
      select entry.id, entry.transfer_id * ${LEGS} + (
        select count(*) from ledger_entries earlier
        where earlier.transfer_id = entry.transfer_id and earlier.id < entry.id
      ) from ledger_entries entry`,
  ];
}

/** Checks for decimal text above zero, without leading zeros. Texts are compared by bytes. */
const isPositive = (text: string): string => `rtrim(${text}, ${DIGITS}) = '' and ${text} >= '1'`;

function newEntries(c: ColumnTypes): string[] {
  return [
    `create table new_ledger_entries (
      id ${c.integer} primary key check (id / ${LEGS} = transfer_id),
      transfer_id ${c.integer} not null references ledger_transfers (id),
      account ${c.text} not null,
      currency ${c.text} not null,
      amount ${c.text} not null check ((${isPositive("amount")}) or (rtrim(amount, ${DIGITS}) = '-' and amount >= '-1')),
      balance ${c.text} check ((${isPositive("balance")}) or balance = '0'),
      previous_id ${c.integer},
      check ((balance is null) = (account >= 'system:' and account < 'system;'))
    ) ${c.table}`,
    `insert into new_ledger_entries (id, transfer_id, account, currency, amount, balance, previous_id)
      select number.id, entry.transfer_id, entry.account, entry.currency, entry.amount, entry.balance,
        case when entry.balance is null then null else (
          select before_it.id from ledger_entries earlier
          join new_ledger_numbers before_it on before_it.old_id = earlier.id
          where earlier.account = entry.account and earlier.currency = entry.currency and earlier.id < entry.id
          order by earlier.id desc limit 1
        ) end
      from ledger_entries entry join new_ledger_numbers number on number.old_id = entry.id
      order by number.id`,
  ];
}

function newBalances(c: ColumnTypes): string[] {
  return [
    `create table new_ledger_balances (
      account ${c.text} not null check (account < 'system:' or account >= 'system;'),
      currency ${c.text} not null,
      balance ${c.text} not null check ((${isPositive("balance")}) or balance = '0'),
      last_id ${c.integer},
      primary key (account, currency)
    ) ${c.clusteredTable}`,
    `insert into new_ledger_balances (account, currency, balance, last_id)
      select account, currency, balance, (
        select number.id from ledger_entries entry join new_ledger_numbers number on number.old_id = entry.id
        where entry.account = ledger_balances.account and entry.currency = ledger_balances.currency
        order by entry.id desc limit 1
      ) from ledger_balances order by account, currency`,
  ];
}
