import { COMMAND_LINE } from "../audit/audit.ts";
import { chainsOf } from "../chains/chains.ts";
import { startChains } from "../chains/start.ts";
import { systemClock } from "../clock.ts";
import { readSnapshot } from "../db/snapshot.ts";
import { AppError } from "../errors.ts";
import { markPaid } from "../payouts/mark-paid.ts";
import { resumePayouts, stopPayouts } from "../payouts/pause-payouts.ts";
import { onPayout } from "../payouts/payout-listeners.ts";
import { listPayouts } from "../payouts/payouts.service.ts";
import { type Books, type Comparison, compareWithChain, readBooks } from "../payouts/reconcile/reconcile.ts";
import { payoutChanged } from "../red-packets/claim/payout-results.ts";
import { CommandError, type Invocation, print, UsageError } from "./command.ts";
import { openTool, openWritingTool } from "./tool.ts";

const LIMIT = 50;
const STATES = ["queued", "numbered", "signed", "sent", "included", "settled", "failed"] as const;

/** Shows payouts, the newest last: all, the open ones, or those in one state. */
export async function payoutsList(call: Invocation): Promise<number> {
  const { open, state: wanted } = call.values;
  const state = STATES.find((one) => one === wanted);
  if (wanted !== undefined && state === undefined) throw new UsageError(`--state must be one of ${STATES.join(", ")}.`);
  const limit = call.values.limit === undefined ? LIMIT : Number(call.values.limit);
  if (!Number.isInteger(limit) || limit < 1)
    throw new UsageError("--limit <count> must be a whole number of at least 1.");
  await using tool = await openTool(call);
  const { payouts, halted, has_more } = await listPayouts(tool.ctx, {
    state,
    ...(open === true ? { open } : {}),
    limit,
  });
  payouts.reverse();
  const lines = payouts.map((one) =>
    [
      one.payout_id,
      one.created_at,
      one.hold === null ? one.state : `${one.state} (${one.hold})`,
      `${one.amount} ${one.currency} on ${one.chain}:${one.chain_id}`,
      `to ${one.recipient}`,
      one.key,
      ...(one.tx_hash === null ? [] : [one.tx_hash]),
    ].join(" · "),
  );
  const verdict = halted === null ? [] : [`Payouts are paused: ${halted}.`];
  const words = lines.length === 0 ? ["No payouts match."] : lines;
  print(call, { payouts, halted, has_more }, [...words, ...verdict].join("\n"));
  return 0;
}

export async function payoutsStop(call: Invocation): Promise<number> {
  await using tool = await openWritingTool(call);
  await stopPayouts(tool.ctx, COMMAND_LINE);
  print(call, { stopped: true }, "Payouts are stopped. Payouts that were sent are still tracked; the others wait.");
  return 0;
}

export async function payoutsResume(call: Invocation): Promise<number> {
  await using tool = await openWritingTool(call);
  await resumePayouts(tool.ctx, COMMAND_LINE);
  const off = tool.config.payouts === "off";
  const words = off ? "PARLEY_PAYOUTS is off here. Servers where it is on resume payouts." : "Payouts are resumed.";
  print(call, { stopped: false }, words);
  return 0;
}

/** Records that a payout was made before the database was restored. */
export async function payoutsPaid(call: Invocation): Promise<number> {
  const [text = "", hash = ""] = call.positionals;
  if (!/^[1-9][0-9]{0,15}$/.test(text))
    throw new UsageError("<payout_id> must be a number; see: parley payouts list --open");
  await using tool = await openWritingTool(call);
  await startChains(tool.ctx);
  onPayout(tool.ctx, payoutChanged);
  const problem = await markPaid(tool.ctx, COMMAND_LINE, Number(text), hash);
  if (problem !== null) throw new CommandError(problem);
  print(call, { payout_id: Number(text), tx_hash: hash }, `Payout ${text} is settled by ${hash}.`);
  return 0;
}

/** Compares payouts, ledger and wallets. The exit code is 1 if they differ. */
export async function payoutsReconcile(call: Invocation): Promise<number> {
  await using tool = await openTool(call);
  await startChains(tool.ctx);
  const books = await readSnapshot(tool.config.database, systemClock, readBooks);
  const rows = [];
  for (const book of books) {
    const chain = chainsOf(tool.ctx).find(book.chain, book.chainId);
    let wallet: Comparison | "silent" | null = null;
    try {
      wallet = chain === null ? null : await compareWithChain(chain, book);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      wallet = "silent";
    }
    rows.push({ book, wallet, problems: problemsOf(book, wallet) });
  }
  const isFine = rows.every(({ problems }) => problems.length === 0);
  const lines = rows.flatMap(({ book, wallet, problems }) => [
    ...bookLines(book, wallet),
    ...problems.map((text) => `  PROBLEM ${text}`),
  ]);
  const words = rows.length === 0 ? "Nothing has been funded or paid on a chain." : lines.join("\n");
  print(
    call,
    { consistent: isFine, currencies: rows.map(({ book, wallet, problems }) => asJson(book, wallet, problems)) },
    words,
  );
  return isFine ? 0 : 1;
}

const problemsOf = ({ problems }: Books, wallet: Comparison | "silent" | null): string[] => {
  if (wallet === "silent") return [...problems, "the chain does not respond, so its wallet was not checked"];
  return wallet?.problem == null ? problems : [...problems, wallet.problem];
};

function bookLines(book: Books, wallet: Comparison | "silent" | null): string[] {
  const { ledgerCurrency, funded, paid, gas, liabilities, underWay } = book;
  const lines = [
    `${ledgerCurrency}`,
    `  funded ${funded}, paid ${paid}, gas ${gas}; owed to users ${liabilities}, of which ${underWay} are under way`,
  ];
  if (wallet === null || wallet === "silent") return lines;
  return [...lines, `  wallet ${wallet.onChain}: ${wallet.surplus} more than is owed to users`];
}

function asJson({ problems: _, ...book }: Books, wallet: Comparison | "silent" | null, problems: string[]) {
  const figures = Object.entries({ ...book, ...(wallet === "silent" ? {} : wallet), problem: undefined });
  const texts = figures.map(([name, value]) => [name, typeof value === "bigint" ? String(value) : value]);
  return { ...Object.fromEntries(texts), problems };
}
