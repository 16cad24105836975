import { PAID_BYTES, type PaidBody, type PaidResource } from "@parley/protocol/payments";
import { type AuditActor, audit, COMMAND_LINE } from "../../audit/audit.ts";
import { isoTime } from "../../base/iso-time.ts";
import { optionalText } from "../../base/visible-text.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import type { Grant } from "../pay/grant.ts";
import type { Pay } from "../pay/transports.ts";
import { payDelisted } from "./delisted-offers.ts";
import { checkPrice, type Offer } from "./offers.ts";
import {
  delistPaid,
  findPaid,
  findRemoved,
  insertPaid,
  listPaid,
  type PaidContent,
  type PaidFacts,
  readPaid,
  readRemoved,
  soldCounts,
} from "./paid.store.ts";

/** An item to sell, with its content as bytes. */
export interface NewPaid {
  readonly slug: string;
  readonly price: PaidBody["price"];
  readonly description: string | null;
  readonly mediaType: string;
  readonly content: Uint8Array;
}

/** Returns the path at which it is sold. */
const paidPath = (slug: string): string => `/api/paid/${slug}`;

/** Returns the content of a request: exactly one of the three fields. Errors: `invalid_resource`, `body_too_large`. */
export function newPaid(body: PaidBody): NewPaid {
  const { slug, price, description = null, media_type: mediaType } = body;
  const forms = [
    body.text === undefined ? null : { content: Buffer.from(body.text), type: "text/plain; charset=utf-8" },
    body.json === undefined ? null : { content: Buffer.from(JSON.stringify(body.json)), type: "application/json" },
    body.base64 === undefined ? null : { content: bytesOf(body.base64), type: "application/octet-stream" },
  ].filter((form) => form !== null);
  const [form] = forms;
  if (form === undefined || forms.length > 1) throw fail("invalid_resource");
  return { slug, price, description, mediaType: mediaType ?? form.type, content: form.content };
}

function bytesOf(text: string): Buffer {
  const bytes = Buffer.from(text, "base64");
  const isWhole = bytes.toString("base64").replace(/=+$/, "") === text.replace(/\s/g, "").replace(/=+$/, "");
  if (isWhole) return bytes;
  throw fail("invalid_resource", { message: "base64 is invalid." });
}

/**
 * Puts an item up for sale. Repeating the same call does nothing.
 * Errors: `invalid_price`, `payments_not_configured`, `body_too_large`, `resource_exists`.
 */
export async function addPaid(ctx: AppContext, actor: AuditActor, resource: NewPaid): Promise<PaidResource> {
  const { slug, price, description, mediaType, content } = resource;
  if (content.byteLength > PAID_BYTES) throw fail("body_too_large");
  const { chain } = checkPrice(ctx, price);
  return transact(ctx, async (ctx) => {
    const facts: PaidFacts = {
      slug,
      path: paidPath(slug),
      description: optionalText(description),
      media_type: mediaType,
      size_bytes: content.byteLength,
      amount: price.amount,
      currency: price.currency,
      chain: chain.kind,
      chain_id: chain.chainId,
      created_by: nameOf(actor),
      created_at: ctx.clock.now(),
    };
    if (!(await insertPaid(ctx.db, { ...facts, body: content }))) throw fail("resource_exists");
    await audit(ctx, actor, "paid_add", `paid:${slug}`, { price });
    return paidRecord(facts, 0);
  });
}

const nameOf = (actor: AuditActor): string => (actor === COMMAND_LINE ? COMMAND_LINE : actor.username);

/** Returns all items for sale, by name. */
export async function paidResources(ctx: AppContext): Promise<PaidResource[]> {
  const sold = await soldCounts(ctx.db);
  return (await listPaid(ctx.db)).map((facts) => paidRecord(facts, sold.get(facts.path) ?? 0));
}

/** Removes an item from sale; buyers can still fetch it for the rest of their day. Errors: `resource_not_found`. */
export function removePaid(ctx: AppContext, actor: AuditActor, slug: string): Promise<void> {
  return transact(ctx, async (ctx) => {
    if (!(await delistPaid(ctx.db, slug, ctx.clock.now()))) throw fail("resource_not_found");
    await audit(ctx, actor, "paid_remove", `paid:${slug}`);
  });
}

/**
 * Returns the content for a caller who has paid, as it was at the time of payment. Errors: `resource_not_found`, and
 * those of `pay`.
 */
export async function buy(
  ctx: AppContext,
  slug: string,
  pay: Pay,
): Promise<{ content: Uint8Array<ArrayBuffer>; mediaType: string }> {
  const { granted_at } = await payFor(ctx, slug, pay);
  const sold = await contentAt(ctx, slug, granted_at);
  if (sold === undefined) throw fail("resource_not_found");
  return { content: new Uint8Array(sold.body), mediaType: sold.media_type };
}

async function payFor(ctx: AppContext, slug: string, pay: Pay): Promise<Grant> {
  const facts = await findPaid(ctx.db, slug);
  if (facts !== undefined) return pay(offerOf(slug, facts));
  const removed = await findRemoved(ctx.db, paidPath(slug));
  if (removed === undefined) throw fail("resource_not_found");
  const granted = await payDelisted(pay, offerOf(slug, removed));
  if (granted === null) throw fail("resource_not_found");
  return granted;
}

/**
 * Returns the content at that time: checking the chain takes a while. If it was already gone, returns what was removed
 * last.
 */
async function contentAt(ctx: AppContext, slug: string, at: number): Promise<PaidContent | undefined> {
  const path = paidPath(slug);
  const found = (await readRemoved(ctx.db, path, at)) ?? (await readPaid(ctx.db, slug));
  if (found !== undefined) return found;
  const last = await findRemoved(ctx.db, path);
  return last === undefined ? undefined : readRemoved(ctx.db, path, last.removed_at);
}

type Sold = Pick<PaidFacts, "path" | "description" | "amount" | "currency" | "chain_id">;

const offerOf = (slug: string, { path, description, ...facts }: Sold): Offer => ({
  resource: path,
  description: description ?? slug,
  price: { amount: facts.amount, currency: facts.currency, chain_id: facts.chain_id },
  sellerId: null,
  isPersonal: false,
});

function paidRecord({ path, amount, currency, chain_id, created_at, ...facts }: PaidFacts, sold: number): PaidResource {
  return {
    ...facts,
    url: path,
    price: { amount, currency, chain_id },
    sold,
    created_at: isoTime(created_at),
  };
}
