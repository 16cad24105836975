import type { Config } from "../config.ts";

/**
 * What is kept of a post's address: enough to ask its network's API, and nothing a stranger could aim with. Each part has a fixed, safe
 * alphabet.
 */
export type PostRef = XRef | BlueskyRef | MastodonRef;

export interface XRef {
  provider: "x";
  /** Decimal digits, as a text: ids are beyond 2^53. */
  id: string;
}

export interface BlueskyRef {
  provider: "bluesky";
  /** The author as the address names him: a DID, or a handle, which the network resolves. */
  actor: string;
  recordKey: string;
}

export interface MastodonRef {
  provider: "mastodon";
  /** One of the instances that are allowed (`PARLEY_MASTODON_INSTANCES`). */
  instance: string;
  id: string;
}

/** The networks by the name they have on the wire (`social_account.provider`). */
export type Provider = PostRef["provider"];
export type RefOf<P extends Provider> = Extract<PostRef, { provider: P }>;

const LENGTH_MAX = 2_048;
/** Printable ASCII: no punycode trick works on letters that are not there. */
const PLAIN = /^[\x21-\x7e]+$/;
/** What follows the path is ignored: browsers and apps append things such as `?s=20`. */
const ADDRESS = /^https:\/\/([a-z0-9.-]+)(\/[^?#]*)(?:[?#].*)?$/i;

const X_HOSTS = new Set(["x.com", "twitter.com"].flatMap((host) => [host, `www.${host}`, `mobile.${host}`]));
/** `/<name>/status/<digits>`, `/i/status/…`, `/i/web/status/…`; a picture of the post may be named after it. */
const X_PATH = /^\/(?:\w{1,20}|i\/web)\/status(?:es)?\/([1-9]\d{0,18})(?:\/(?:photo|video)\/\d)?\/?$/;

const BLUESKY_HOST = "bsky.app";
const BLUESKY_PATH = /^\/profile\/([^/]+)\/post\/([^/]+)\/?$/;
/** The two methods AT Protocol knows, and a handle (https://atproto.com/specs/did, …/specs/handle). */
export const DID = /^did:(?:plc:[a-z2-7]{24}|web:[a-z0-9-]+(?:\.[a-z0-9-]+)+)$/;
const HANDLE = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Posts have a time-based key (https://atproto.com/specs/tid). */
const TID = /^[2-7a-j][2-7a-z]{12}$/;

/** As people copy it, and as servers name it among themselves. A post of another instance, `/@name@host/…`, has its address there. */
const MASTODON_PATH = /^\/(?:@\w[\w.-]{0,63}|users\/\w[\w.-]{0,63}\/statuses)\/([1-9]\d{0,19})\/?$/;

/**
 * Reads the address of a post. It is never fetched: only its id travels on, to an address that the settings fix. null: it is no post
 * of a network this server knows (`invalid_tweet_url`). The whole text must fit, so that user names, ports, escapes, trailing dots and
 * doubled slashes have no place to stand (protocol §5).
 */
export function readPostUrl(config: Pick<Config, "mastodonInstances">, url: string): PostRef | null {
  const text = url.trim();
  if (text.length > LENGTH_MAX || !PLAIN.test(text)) return null;
  const [, host = "", path = ""] = ADDRESS.exec(text) ?? [];
  const name = host.toLowerCase();
  if (X_HOSTS.has(name)) return readX(path);
  if (name === BLUESKY_HOST) return readBluesky(path);
  return config.mastodonInstances.has(name) ? readMastodon(name, path) : null;
}

function readX(path: string): XRef | null {
  const id = X_PATH.exec(path)?.[1];
  return id === undefined ? null : { provider: "x", id };
}

function readBluesky(path: string): BlueskyRef | null {
  const [, name = "", recordKey = ""] = BLUESKY_PATH.exec(path) ?? [];
  const actor = name.toLowerCase();
  if (!TID.test(recordKey) || !(DID.test(actor) || HANDLE.test(actor))) return null;
  return { provider: "bluesky", actor, recordKey };
}

function readMastodon(instance: string, path: string): MastodonRef | null {
  const id = MASTODON_PATH.exec(path)?.[1];
  return id === undefined ? null : { provider: "mastodon", instance, id };
}
