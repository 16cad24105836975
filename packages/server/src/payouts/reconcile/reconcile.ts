import type { Asset, Chain, ChainKind } from "../../chains/chain.ts";
import type { Db } from "../../db/db.ts";
import { ledgerCurrency, owedAccount } from "../../ledger/account-names.ts";
import { balancesOf, entriesAfter, type PayoutSum, payoutsAfter, treasuryAccounts } from "./reconcile.store.ts";

const PAGE = 5_000;

/** The ledger's figures for one currency on one chain, in its smallest unit. */
export interface Books {
  chain: ChainKind;
  chainId: number;
  ledgerCurrency: string;
  /** The name used in payouts and settings. */
  currency: string;
  /** Received by funding, sent by payouts, spent on gas. */
  funded: bigint;
  paid: bigint;
  gas: bigint;
  /** The amounts that users hold in packets or are owed; the wallet must contain this much. */
  liabilities: bigint;
  /** The part of it that is signed and may have left the wallet. */
  underWay: bigint;
  /** Mismatches; empty if the books agree. */
  problems: string[];
}

/** Adds up payouts and ledger and compares the two (protocol §6). Needs a snapshot of the database. */
export async function readBooks(db: Db): Promise<Books[]> {
  const books = new Map<string, Books>();
  const sums = new Map<string, { settled: bigint; unpaid: bigint }>();
  for await (const payout of pages((after) => payoutsAfter(db, after, PAGE))) {
    const found = bookOf(books, payout);
    const sum = sums.get(found.ledgerCurrency) ?? { settled: 0n, unpaid: 0n };
    sums.set(found.ledgerCurrency, sum);
    const amount = BigInt(payout.amount);
    if (payout.state === "settled") sum.settled += amount;
    else sum.unpaid += amount;
    if (payout.state === "signed" || payout.state === "sent" || payout.state === "included") found.underWay += amount;
  }
  await addEntries(db, books);
  for (const book of books.values()) {
    const { settled, unpaid } = sums.get(book.ledgerCurrency) ?? { settled: 0n, unpaid: 0n };
    await addBalances(db, book, { settled, unpaid });
  }
  return [...books.values()];
}

/** Yields all rows, read page by page by id. */
async function* pages<T extends { id: number }>(read: (after: number) => Promise<T[]>): AsyncGenerator<T> {
  for (let page = await read(0); ; page = await read(Number(page.at(-1)?.id))) {
    yield* page;
    if (page.length < PAGE) return;
  }
}

type Place = Pick<PayoutSum, "chain" | "chain_id" | "ledger_currency" | "currency">;

function bookOf(books: Map<string, Books>, { chain, chain_id, ledger_currency, currency }: Place): Books {
  const made = books.get(ledger_currency) ?? {
    chain,
    chainId: Number(chain_id),
    ledgerCurrency: ledger_currency,
    currency,
    funded: 0n,
    paid: 0n,
    gas: 0n,
    liabilities: 0n,
    underWay: 0n,
    problems: [],
  };
  books.set(ledger_currency, made);
  return made;
}

/** Adds the movements of the treasury accounts: funding takes out of them, payouts and gas put back. */
async function addEntries(db: Db, books: Map<string, Books>): Promise<void> {
  for (const account of await treasuryAccounts(db)) {
    const [, , kind, id] = account.split(":");
    const chain = kind === "solana" ? "solana" : "evm";
    for await (const entry of pages((after) => entriesAfter(db, account, after, PAGE))) {
      const ledger_currency = entry.currency;
      const currency = ledger_currency.split(":").at(-1) ?? ledger_currency;
      const book = bookOf(books, { chain, chain_id: Number(id), ledger_currency, currency });
      const amount = BigInt(entry.amount);
      if (entry.kind === "payout") book.paid += amount;
      else if (entry.kind === "payout_gas") book.gas += amount;
      else book.funded -= amount;
    }
  }
}

async function addBalances(
  db: Db,
  book: Books,
  { settled, unpaid }: { settled: bigint; unpaid: bigint },
): Promise<void> {
  const owedTo = owedAccount(book.chain, book.chainId);
  let owed = 0n;
  for (const { account, balance } of await balancesOf(db, book.ledgerCurrency)) {
    book.liabilities += BigInt(balance);
    if (account === owedTo) owed = BigInt(balance);
  }
  if (settled !== book.paid)
    book.problems.push(`payouts of ${settled} are settled, but the ledger has paid ${book.paid}`);
  if (unpaid !== owed) book.problems.push(`payouts of ${unpaid} are unpaid, but the ledger owes ${owed}`);
  if (book.funded - book.paid !== book.liabilities) {
    const { funded, paid, liabilities } = book;
    book.problems.push(`${funded} was received and ${paid} was paid, but the ledger holds ${liabilities}`);
  }
}

/** The wallet's balance compared with the books. */
export interface Comparison {
  onChain: bigint;
  /** The platform's own part: gas money and other deposits. Below zero, value of people is missing. */
  surplus: bigint;
  problem: string | null;
}

/**
 * Compares the books with the wallet. An amount under way may or may not have left the wallet; both are accepted.
 * Returns null if there is no wallet or the settings no longer name the currency.
 * @throws chain_unavailable
 */
export async function compareWithChain(chain: Chain, book: Books): Promise<Comparison | null> {
  const asset = assetOf(chain, book);
  if (asset === null || chain.treasury === null) return null;
  const onChain = await chain.balance(asset, chain.treasury);
  const surplus = onChain - book.liabilities;
  const missing = -(surplus + book.underWay);
  return { onChain, surplus, problem: missing > 0n ? `the wallet lacks ${missing} of the amount owed to users` : null };
}

const assetOf = (chain: Chain, { ledgerCurrency: name }: Books): Asset | null =>
  chain.assets.find((asset) => ledgerCurrency(chain.kind, chain.chainId, asset) === name) ?? null;
