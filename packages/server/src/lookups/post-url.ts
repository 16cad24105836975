import type { Config } from "../config/config.ts";

/**
 * The parts of a post's URL that are kept: enough to query its network's API, and nothing that lets a stranger choose
 * the target. Each part has a fixed, safe alphabet.
 */
export type PostRef = XRef | BlueskyRef | MastodonRef;

export interface XRef {
  provider: "x";
  /** Decimal digits, as text: ids exceed 2^53. */
  id: string;
}

export interface BlueskyRef {
  provider: "bluesky";
  /** The author as the URL names them: a DID, or a handle, which the network resolves. */
  actor: string;
  recordKey: string;
}

export interface MastodonRef {
  provider: "mastodon";
  /** One of the allowed instances (`PARLEY_MASTODON_INSTANCES`). */
  instance: string;
  id: string;
}

/** The networks by their wire names (`social_account.provider`). */
export type Provider = PostRef["provider"];
export type RefOf<P extends Provider> = Extract<PostRef, { provider: P }>;

const LENGTH_MAX = 2_048;
/** Printable ASCII, which rules out Unicode look-alikes. */
const PLAIN = /^[\x21-\x7e]+$/;
/** Query and fragment are ignored: browsers and apps append things such as `?s=20`. */
const ADDRESS = /^https:\/\/([a-z0-9.-]+)(\/[^?#]*)(?:[?#].*)?$/i;

const X_HOSTS = new Set(["x.com", "twitter.com"].flatMap((host) => [host, `www.${host}`, `mobile.${host}`]));
/** `/<name>/status/<digits>`, `/i/status/…`, `/i/web/status/…`; the path of one of the post's pictures may follow. */
const X_PATH = /^\/(?:\w{1,20}|i\/web)\/status(?:es)?\/([1-9]\d{0,18})(?:\/(?:photo|video)\/\d)?\/?$/;

const BLUESKY_HOST = "bsky.app";
const BLUESKY_PATH = /^\/profile\/([^/]+)\/post\/([^/]+)\/?$/;
/** The two DID methods of AT Protocol, and a handle (https://atproto.com/specs/did, …/specs/handle). */
export const DID = /^did:(?:plc:[a-z2-7]{24}|web:[a-z0-9-]+(?:\.[a-z0-9-]+)+)$/;
const HANDLE = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Posts have a time-based key (https://atproto.com/specs/tid). */
const TID = /^[2-7a-j][2-7a-z]{12}$/;

/**
 * The form people copy, and the form servers use among themselves. Posts of another instance, `/@name@host/…`, have
 * their own URL there.
 */
const MASTODON_PATH = /^\/(?:@\w[\w.-]{0,63}|users\/\w[\w.-]{0,63}\/statuses)\/([1-9]\d{0,19})\/?$/;

/**
 * Parses the URL of a post. The URL is never fetched: only its id is sent, to an address the settings fix. Returns null
 * if it is not a post of a known network (`invalid_tweet_url`). The whole text must match, which excludes user names,
 * ports, escapes, trailing dots and doubled slashes (protocol §5).
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
