import type { ColumnTypes } from "../columns.ts";
import type { Migration } from "./migration.ts";

const DIGITS = "'0123456789'";

/**
 * Entries of the ledger name the entry before them of the same account, so that a statement is read from its end without an index by account
 * (tables-points.ts). Such an index has a page for each account that moves, all of which a batch of claims had to write.
 */
export const statements: Migration = {
  name: "0015-statements",
  async up({ columns: c, run }) {
    await run([
      ...newEntries(c),
      ...newBalances(c),
      "drop table ledger_entries",
      "alter table new_ledger_entries rename to ledger_entries",
      "drop table ledger_balances",
      "alter table new_ledger_balances rename to ledger_balances",
      // What a treasury has moved; the rule of the table says that only system accounts have no balance.
      "create index ledger_entries_of_system on ledger_entries (account, transfer_id) where balance is null",
      ...c.appendOnly("ledger_entries"),
    ]);
  },
};

/** Decimal text above zero, without leading zeros. Texts are compared by bytes. */
const isPositive = (text: string): string => `rtrim(${text}, ${DIGITS}) = '' and ${text} >= '1'`;

function newEntries(c: ColumnTypes): string[] {
  return [
    `create table new_ledger_entries (
      transfer_id ${c.integer} not null references ledger_transfers (id),
      account ${c.text} not null,
      currency ${c.text} not null,
      amount ${c.text} not null check ((${isPositive("amount")}) or (rtrim(amount, ${DIGITS}) = '-' and amount >= '-1')),
      balance ${c.text} check ((${isPositive("balance")}) or balance = '0'),
      previous_id ${c.integer},
      primary key (transfer_id, account),
      check ((balance is null) = (account >= 'system:' and account < 'system;'))
    ) ${c.clusteredTable}`,
    `insert into new_ledger_entries (transfer_id, account, currency, amount, balance, previous_id)
      select transfer_id, account, currency, amount, balance,
        case when balance is null then null else (
          select earlier.transfer_id from ledger_entries earlier
          where earlier.account = entry.account and earlier.currency = entry.currency and earlier.id < entry.id
          order by earlier.id desc limit 1
        ) end
      from ledger_entries entry order by entry.transfer_id, entry.account`,
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
        select entry.transfer_id from ledger_entries entry
        where entry.account = ledger_balances.account and entry.currency = ledger_balances.currency
        order by entry.id desc limit 1
      ) from ledger_balances order by account, currency`,
  ];
}
