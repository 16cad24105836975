import { type AppContext, perServer } from "../context.ts";
import { slowly } from "../http/acts/slow.ts";
import { Outgoing } from "../outgoing/outgoing.ts";
import { type PageFacts, pageFacts } from "./page-facts.ts";
import { pageText } from "./page-text.ts";

const KIB = 1024;
/** What is read of a page; the rest is left unread. */
const PAGE_BYTES = 512 * KIB;
/** A larger picture is not fetched to its end. */
const PICTURE_BYTES = 2_048 * KIB;
const REDIRECTS_MAX = 3;
const REDIRECTS = [301, 302, 303, 307, 308];
/** A page, its redirects and its picture take no longer, except for a request that is under way by then. */
const TOGETHER_MS = 20_000;
const HTML = /^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i;

/** The requests for previews, with places of their own: slow pages take none of those of webhooks. */
const requests = perServer(
  (ctx: AppContext): Outgoing => new Outgoing({ allow: ctx.config.linkPreviewNetworks, clock: ctx.clock }),
);

/** A page with the bytes of its picture. */
export interface FetchedPage {
  facts: PageFacts;
  /** `later`: another moment may have it. */
  picture: Uint8Array | null | "later";
}

interface Answer {
  /** The address that answered. */
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
}

/**
 * Fetches a page and its picture by the rules of protocol §13.12, without credentials; each address that it is redirected
 * to is checked as the first one is. `owner`: the account whose link it is. Returns null if there is nothing to show,
 * `later` if another moment may have something, and `busy` if nothing was sent, because other requests had all places.
 */
export async function fetchPage(
  ctx: AppContext,
  link: string,
  owner: string,
): Promise<FetchedPage | null | "later" | "busy"> {
  const ends = ctx.clock.monotonic() + TOGETHER_MS;
  const page = await get(ctx, link, { owner, ends, accept: "text/html", answer: { bytes: PAGE_BYTES, isCut: true } });
  if (page === null || page === "later" || page === "busy") return page;
  const type = page.headers["content-type"] ?? "";
  if (!HTML.test(type)) return null;
  const facts = pageFacts(pageText(page.body, type), page.headers["x-robots-tag"]);
  if (facts === null) return null;
  const address = facts.picture === null ? null : URL.parse(facts.picture, page.url);
  if (address === null) return { facts, picture: null };
  const picture = await get(ctx, address.href, { owner, ends, accept: "image/*", answer: { bytes: PICTURE_BYTES } });
  return { facts, picture: picture === null ? null : typeof picture === "string" ? "later" : picture.body };
}

interface Wanted {
  owner: string;
  /** The monotonic time after which no request begins. */
  ends: number;
  accept: string;
  answer: { bytes: number; isCut?: boolean };
}

/** Failures of a moment: a slow or overloaded host may answer soon. */
const OF_A_MOMENT: readonly string[] = ["timed_out", "unreachable"];
const TOO_MANY_REQUESTS = 429;
const SERVER_ERRORS = 500;

/** Returns the answer 200 at the end of at most three redirects; null, or why there is none, for everything else. */
async function get(ctx: AppContext, first: string, wanted: Wanted): Promise<Answer | null | "later" | "busy"> {
  const { owner, ends, accept, answer } = wanted;
  let url = first;
  for (let left = REDIRECTS_MAX; ; left -= 1) {
    if (ctx.clock.monotonic() > ends) return "later";
    const result = await slowly(ctx, "request", () =>
      requests(ctx).send(url, { method: "GET", headers: { accept }, answer }, { kind: "preview", owner }),
    );
    if (result.outcome === "overloaded") return "busy";
    if (result.outcome !== "answered") return OF_A_MOMENT.includes(result.outcome) ? "later" : null;
    const { status, headers, body } = result;
    if (status === 200) return { url, headers, body };
    if (status === TOO_MANY_REQUESTS || status >= SERVER_ERRORS) return "later";
    const next = REDIRECTS.includes(status) && left > 0 ? URL.parse(headers.location ?? "", url) : null;
    if (next === null) return null;
    url = next.href;
  }
}
