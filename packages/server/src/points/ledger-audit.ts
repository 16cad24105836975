import type { Db } from "../db/db.ts";
import { isSystemAccount, POINTS, userAccount } from "../ledger/account-names.ts";
import { EARNED } from "./earning.ts";
import {
  type AuditedEntry,
  type Balance,
  balancesAfter,
  type Earned,
  earnedAfter,
  emptyTransfers,
  entriesAfter,
} from "./ledger-audit.store.ts";

/**
 * Audits a whole ledger and reports inconsistencies: a transfer that does not sum to zero, a balance that differs from
 * the sum of its entries or was ever below zero, a statement that lacks entries of its account, honor that was not
 * earned. Pass the entries first, transfer by transfer; then the balances, then the earned points; then call `finish`.
 */
class LedgerAudit {
  readonly problems: string[] = [];
  entries = 0;
  /** The sum of the legs read so far, by transfer and currency; removed when it is zero. */
  readonly #open = new Map<string, bigint>();
  readonly #byCurrency = new Map<string, bigint>();
  readonly #balances = new Map<string, bigint>();
  readonly #earned = new Map<string, bigint>();
  /**
   * The sum of all entry ids minus the sum of their previous ids. It equals the sum of each account's last entry id, as
   * long as every entry except the last is followed exactly once.
   */
  #ends = 0n;

  entry(entry: AuditedEntry): void {
    this.entries += 1;
    const { id, transfer_id, account, currency, kind } = entry;
    const amount = decimal(entry.amount);
    if (amount === null) {
      this.#say(`entry ${id} has the amount "${entry.amount}", which is not a number`);
      return;
    }
    if (kind === null) this.#say(`entry ${id} belongs to transfer ${transfer_id}, which is missing`);
    add(this.#open, `${transfer_id} ${currency}`, amount);
    add(this.#byCurrency, currency, amount);
    if (isSystemAccount(account)) return;
    add(this.#balances, `${account} ${currency}`, amount);
    this.#follows(entry, amount);
    if (kind !== null && EARNED.includes(kind) && currency === POINTS) add(this.#earned, account, amount);
  }

  /** Checks that the entry continues from the previous one. */
  #follows(entry: AuditedEntry, amount: bigint): void {
    const { id, previous_id, account, currency, balance, before } = entry;
    this.#ends += BigInt(id) - BigInt(previous_id ?? 0);
    if (previous_id !== null && before === null) {
      this.#say(`entry ${id} of ${account} follows entry ${previous_id}, which belongs to another account`);
      return;
    }
    const sum = BigInt(before ?? 0) + amount;
    if (sum < 0n) this.#say(`entry ${id} brings ${account} to ${sum} ${currency}`);
    if (balance !== String(sum))
      this.#say(`entry ${id} says that ${account} has ${balance} ${currency}, but the sum is ${sum}`);
  }

  empty(transfer: { id: number; key: string }): void {
    this.#say(`transfer ${transfer.id} (${transfer.key}) has no entries`);
  }

  balance({ account, currency, balance, last_id }: Balance): void {
    this.#ends -= BigInt(last_id ?? 0);
    const name = `${account} ${currency}`;
    const sum = this.#balances.get(name) ?? 0n;
    this.#balances.delete(name);
    if (balance !== String(sum)) this.#say(`${account} has ${balance} ${currency}, but its entries sum to ${sum}`);
  }

  earned({ user_id, total_points }: Earned): void {
    const account = userAccount(user_id);
    const sum = this.#earned.get(account) ?? 0n;
    this.#earned.delete(account);
    if (sum !== BigInt(total_points))
      this.#say(`${account} is recorded as having earned ${total_points}, but its entries sum to ${sum}`);
  }

  finish(): void {
    for (const [name, sum] of this.#open) {
      const [id, currency] = name.split(" ");
      this.#say(`transfer ${id} sums to ${sum} ${currency}`);
    }
    if (this.#ends !== 0n)
      this.#say(
        "the chain of entries is broken: an entry is followed twice, or the last one is not recorded as the last",
      );
    for (const [currency, sum] of this.#byCurrency) this.#say(`all entries of ${currency} sum to ${sum}`);
    for (const [name, sum] of this.#balances)
      this.#say(`the balance of ${name} is missing, but its entries sum to ${sum}`);
    for (const [account, sum] of this.#earned)
      this.#say(`${account} is recorded as having earned nothing, but its entries sum to ${sum}`);
  }

  #say(problem: string): void {
    this.problems.push(problem);
  }
}

/** Adds an amount to a sum; zero sums are removed from the map. */
function add(sums: Map<string, bigint>, name: string, amount: bigint): bigint {
  const sum = (sums.get(name) ?? 0n) + amount;
  if (sum === 0n) sums.delete(name);
  else sums.set(name, sum);
  return sum;
}

const decimal = (text: string): bigint | null => (/^-?[0-9]+$/.test(text) ? BigInt(text) : null);

const PAGE = 5_000;
/** The maximum number of reported transfers without entries. */
const EMPTY_MAX = 100;

/**
 * Audits the whole ledger of a database that does not change (a snapshot). No problems means that every point is
 * accounted for.
 */
export async function auditLedger(db: Db): Promise<{ entries: number; problems: readonly string[] }> {
  const audit = new LedgerAudit();
  for await (const entry of pages((last?: AuditedEntry) => entriesAfter(db, last?.id ?? 0, PAGE))) audit.entry(entry);
  for (const transfer of await emptyTransfers(db, EMPTY_MAX)) audit.empty(transfer);
  const balances = (last?: Balance) => balancesAfter(db, last?.account ?? "", last?.currency ?? "", PAGE);
  for await (const balance of pages(balances)) audit.balance(balance);
  for await (const row of pages((last?: Earned) => earnedAfter(db, last?.user_id ?? 0, PAGE))) audit.earned(row);
  audit.finish();
  return audit;
}

async function* pages<T>(read: (last?: T) => Promise<T[]>): AsyncGenerator<T> {
  for (let page = await read(); ; page = await read(page.at(-1))) {
    yield* page;
    if (page.length < PAGE) return;
  }
}
