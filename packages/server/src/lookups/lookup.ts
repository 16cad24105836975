import type { PostRef, Provider } from "./post-url.ts";

/** The kind of a post. Replies and quotes carry their author's words, but a stranger may have prompted them. */
export type PostKind = "original" | "repost" | "reply" | "quote";

/**
 * A public post as its network reports it. Every field is from the network's API, none from the URL a stranger sent.
 */
export interface SocialPost {
  provider: Provider;
  /** Identifies the account permanently, while handles change hands. Unique within the provider. */
  accountId: string;
  /** The account's current handle, without `@`. */
  handle: string;
  /** The complete plain text, even where a timeline shows only its beginning. Links are the text that readers see. */
  text: string;
  /** When the network received it, epoch milliseconds. */
  createdAt: number;
  kind: PostKind;
  /** The public URL of the post. */
  url: string;
}

/**
 * Asks a network for one post. `post-lookup.conformance.ts` tests what every implementation promises.
 * @throws post_not_found (missing, deleted, private), social_lookup_failed; no error contains text of the
 * network
 */
export interface PostLookup<R extends PostRef = PostRef> {
  readonly provider: R["provider"];
  lookup(ref: R): Promise<SocialPost>;
}
