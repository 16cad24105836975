import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import type { PaymentRecord, PaymentsQuery } from "@parley/protocol/payments";
import { PAID_BYTES, PaidSlug, PaymentState } from "@parley/protocol/payments";
import { Price } from "@parley/protocol/price";
import type { TSchema } from "typebox";
import Schema from "typebox/schema";
import { COMMAND_LINE } from "../audit/audit.ts";
import { chainsOf } from "../chains/chains.ts";
import { startChains } from "../chains/start.ts";
import type { AppContext } from "../context.ts";
import { AppError } from "../errors.ts";
import { addPaid, paidResources, removePaid } from "../payments/offers/paid.service.ts";
import { paymentTotals, readPayments } from "../payments/payments.service.ts";
import { CommandError, fileAt, type Invocation, print, UsageError } from "./command.ts";
import { openTool, openWritingTool } from "./tool.ts";

/** Media types of common file extensions; `--type` names any other. */
const TYPES: Readonly<Record<string, string>> = {
  ".json": "application/json",
  ".txt": "text/plain; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
  ".csv": "text/csv; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".pdf": "application/pdf",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".gif": "image/gif",
  ".zip": "application/zip",
};

export async function paidAdd(call: Invocation): Promise<number> {
  const slug = expectText(PaidSlug, call.positionals[0], "<slug> must have at most 64 characters: a-z, 0-9 and -.");
  const file = text(call, "file");
  if (file === null) throw new UsageError("--file is required.");
  const content = await readFile(fileAt(call, file)).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${file} cannot be read (${error.code ?? "unreadable"}).`);
  });
  if (content.byteLength > PAID_BYTES) throw new CommandError(`${file} is larger than ${PAID_BYTES} bytes.`);
  await using tool = await openWritingTool(call);
  await startChains(tool.ctx);
  const mediaType = text(call, "type") ?? TYPES[extname(file).toLowerCase()] ?? "application/octet-stream";
  const price = priceOf(call, tool.ctx);
  const resource = await told(
    addPaid(tool.ctx, COMMAND_LINE, { slug, price, description: text(call, "description"), mediaType, content }),
  );
  print(
    call,
    { resource },
    `${resource.url} is for sale: ${price.amount} ${price.currency} on chain ${price.chain_id}.`,
  );
  return 0;
}

/** Returns the price on the chain of the given family; the settings name at most one chain of each family. */
function priceOf(call: Invocation, ctx: AppContext): Price {
  const family = text(call, "chain") ?? "evm";
  if (family !== "evm" && family !== "solana") throw new UsageError("--chain must be evm or solana.");
  const chain = chainsOf(ctx).find(family);
  if (chain === null)
    throw new CommandError(`No ${family} chain is configured; see /guide/payments of a running server.`);
  const currency = text(call, "currency") ?? chain.assets[0]?.currency;
  const price = { amount: text(call, "amount"), currency, chain_id: chain.chainId };
  if (Schema.Check(Price, price)) return price;
  throw new UsageError("--amount must be digits, in the smallest unit of the currency.");
}

export async function paidList(call: Invocation): Promise<number> {
  await using tool = await openTool(call);
  const resources = await paidResources(tool.ctx);
  const lines = resources.map(
    ({ url, price, media_type, size_bytes, sold }) =>
      `${url}  ${price.amount} ${price.currency} on chain ${price.chain_id}  ${media_type}, ${size_bytes} bytes  sold ${sold}`,
  );
  print(call, { resources }, lines.length === 0 ? "Nothing is for sale." : lines.join("\n"));
  return 0;
}

export async function paidRemove(call: Invocation): Promise<number> {
  const [slug = ""] = call.positionals;
  await using tool = await openWritingTool(call);
  await told(removePaid(tool.ctx, COMMAND_LINE, slug));
  print(call, { slug }, `${slug} is no longer for sale. Buyers can still fetch it for a day.`);
  return 0;
}

export async function paymentsList(call: Invocation): Promise<number> {
  const query: PaymentsQuery = {};
  const state = text(call, "state");
  if (state !== null)
    query.state = expectText(PaymentState, state, "--state must be granted, refused, revoked or verifying.");
  const [limit, resource, username] = [text(call, "limit"), text(call, "resource"), text(call, "user")];
  if (limit !== null && !/^[1-9]\d{0,2}$/.test(limit)) throw new UsageError("--limit must be a number of at most 200.");
  if (limit !== null) query.limit = Number(limit);
  if (resource !== null) query.resource = resource;
  if (username !== null) query.username = username;
  await using tool = await openTool(call);
  const page = await readPayments(tool.ctx, query);
  const totals = await paymentTotals(tool.ctx);
  const lines = [
    ...page.payments.map(paymentLine),
    ...(page.has_more ? ["and older ones"] : []),
    ...totals.map(({ amount, currency, chain_id, recipient, count }) => {
      return `${count} payments, ${amount} ${currency} in all, on chain ${chain_id} to ${recipient}`;
    }),
  ];
  print(call, { ...page, totals }, lines.length === 0 ? "There are no payments." : lines.join("\n"));
  return 0;
}

function paymentLine(one: PaymentRecord): string {
  const state = one.reason === null ? one.state : `${one.state} (${one.reason})`;
  const amount = `${one.amount ?? one.price} ${one.currency}`;
  return [String(one.id), one.created_at, state, amount, one.resource, one.presented_by, one.tx_hash].join("  ");
}

function text(call: Invocation, name: string): string | null {
  const value = call.values[name];
  return typeof value === "string" ? value : null;
}

function expectText<const S extends TSchema>(schema: S, value: unknown, otherwise: string) {
  if (Schema.Check(schema, value)) return value;
  throw new UsageError(otherwise);
}

/** Converts a service's refusal into an error for the person at the terminal. */
async function told<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof AppError) throw new CommandError(error.message);
    throw error;
  }
}
