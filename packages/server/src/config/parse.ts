import { isIP } from "node:net";
import { SITE_NAME_MAX } from "@parley/protocol/site";
import { invisibleCharacter } from "../unicode/name-characters.ts";

// Parsers turn the text of a variable into its value, or throw an Error whose message completes "NAME …".

/** Returns a parser of integers in `[min, max]`. */
export function integer(min: number, max = Number.MAX_SAFE_INTEGER): (raw: string) => number {
  return (raw) => {
    const value = /^\d{1,16}$/.test(raw) ? Number(raw) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new Error(
      max === Number.MAX_SAFE_INTEGER
        ? `must be an integer of at least ${min}`
        : `must be an integer from ${min} to ${max}`,
    );
  };
}

/** Returns a parser that accepts one of the given words. */
export function oneOf<const W extends string>(...words: readonly W[]): (raw: string) => W {
  return (raw) => {
    const found = words.find((word) => word === raw);
    if (found === undefined) throw new Error(`must be one of ${words.join(", ")}`);
    return found;
  };
}

/** Parses `true`, `false`, `1` or `0`, as in a query (protocol §0). */
export function boolean(raw: string): boolean {
  if (raw === "true" || raw === "1") return true;
  if (raw === "false" || raw === "0") return false;
  throw new Error("must be true or false");
}

export function hostName(raw: string): string {
  if (isIP(raw) !== 0 || /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(raw)) return raw;
  throw new Error("must be a host name or an IP address, without scheme and port");
}

/** Parses the name of a node: it appears in logs and in the labels of metrics. */
export function nodeName(raw: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(raw)) return raw;
  throw new Error("must be at most 63 letters, digits, dots, hyphens or underscores");
}

/** Parses the name of the site, which pages show in headings. */
export function siteName(raw: string): string {
  const name = raw.trim();
  const { length } = [...name];
  if (length > 0 && length <= SITE_NAME_MAX && invisibleCharacter(name) === null) return name;
  throw new Error(`must have 1 to ${SITE_NAME_MAX} visible characters`);
}

export function folder(raw: string): string {
  if (raw.includes("\0")) throw new Error("must be the path of a folder");
  return raw;
}

/** Returns a parser of comma-separated lists whose parts are parsed by `part`. */
export function list<T>(part: (raw: string) => T): (raw: string) => T[] {
  return (raw) =>
    raw
      .split(",")
      .map((text) => text.trim())
      .filter((text) => text !== "")
      .map(part);
}

/** True if the URL has only scheme, host and port. */
const isBare = ({ username, password, pathname, search, hash }: URL): boolean =>
  `${username}${password}${search}${hash}` === "" && pathname === "/";

/** Parses comma-separated addresses or networks; the word `none` means an empty list. */
export function networksOrNone(raw: string): string[] {
  return raw.toLowerCase() === "none" ? [] : list(network)(raw);
}

/** Parses comma-separated integers that ascend from 0: `0,100,200`. */
export function thresholds(raw: string): readonly number[] {
  const values = list(integer(0))(raw);
  if (values[0] === 0 && values.every((value, i) => i === 0 || value > (values[i - 1] ?? 0))) return values;
  throw new Error("must be ascending integers that start with 0, such as 0,100,200");
}

/** Parses the URL of a whole server and returns its origin: `https://chat.example.org`. */
export function publicUrl(raw: string): string {
  const url = URL.parse(raw);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new Error("must be a URL such as https://chat.example.org");
  }
  if (!isBare(url)) {
    throw new Error("must not have a path, query, fragment or credentials: Parley is served at the root of its host");
  }
  return url.origin;
}

/** Parses an origin as browsers send it, or `*`. */
export function origin(raw: string): string {
  if (raw === "*") return raw;
  const url = URL.parse(raw);
  if (url === null || url.host === "" || !/^[a-z][a-z0-9+.-]*:\/\/[^/?#@\s]+\/?$/i.test(raw)) {
    throw new Error(`has "${raw}", which is not an origin such as https://app.example.org`);
  }
  return url.origin === "null" ? raw.replace(/\/$/, "") : url.origin;
}

/** Parses an address or a network: `10.0.0.7`, `10.0.0.0/8`, `::1`. */
export function network(raw: string): string {
  const [address = "", prefix, ...rest] = raw.split("/");
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  const inRange = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
  if (bits === -1 || !inRange || rest.length > 0) {
    throw new Error(`has "${raw}", which is neither an address nor a network such as 10.0.0.0/8`);
  }
  return raw;
}

const LOOPBACK = /^(localhost|\[::1\]|127(\.\d{1,3}){3})$/;

/** True if a URL's host name is a name or address of this machine. */
export const isLoopback = (hostname: string): boolean => LOOPBACK.test(hostname);

/**
 * Parses the URL of an API and returns its origin. http is allowed only on this machine, because a credential is sent
 * there.
 */
export function apiUrl(raw: string): string {
  const url = URL.parse(raw);
  const isPlain = url?.protocol === "http:" && isLoopback(url.hostname);
  if (url === null || !(url.protocol === "https:" || isPlain)) {
    throw new Error("must be https, such as https://api.example.org (http only on this machine)");
  }
  if (!isBare(url)) {
    throw new Error("must not have a path, query, fragment or credentials");
  }
  return url.origin;
}

/** Parses the URL of an API with a path, which is kept without its trailing slash. */
export function apiBase(raw: string): string {
  const url = URL.parse(raw);
  const path = (url?.pathname ?? "").replace(/\/+$/, "");
  if (url !== null && `${url.search}${url.hash}` === "") url.pathname = "/";
  return `${apiUrl(url === null ? raw : url.href)}${path}`;
}

/** Parses a URL like `apiUrl`, or `off`, which returns null. */
export const apiUrlOrOff = (raw: string): string | null => (raw === "off" ? null : apiUrl(raw));

/** Parses a secret that is sent in a header. Errors do not repeat it. */
export function headerSecret(raw: string): string {
  if (/^[\x21-\x7e]{1,4096}$/.test(raw)) return raw;
  throw new Error("must be one word of visible ASCII characters");
}

/** Parses a secret that callers present. It must be too long to guess; errors do not repeat it. */
export function accessToken(raw: string): string {
  if (headerSecret(raw).length >= 16) return raw;
  throw new Error("must have at least 16 characters, such as the output of: openssl rand -hex 24");
}

/**
 * Parses comma-separated instance hosts, each optionally followed by `=` and the URL of its API. Maps each host to that
 * URL.
 */
export function instances(raw: string): ReadonlyMap<string, string> {
  return new Map(
    list((entry): [string, string] => {
      const [, host = "", api] = /^([^=]*)(?:=(.*))?$/.exec(entry.toLowerCase()) ?? [];
      if (host.length > 253 || !/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(host)) {
        throw new Error(`has "${entry}", which is not a host such as mastodon.social`);
      }
      return [host, apiUrl(api ?? `https://${host}`)];
    })(raw),
  );
}

export type Profile = "development" | "production";

/** One setting. The reference page and the parser both use this definition, so they cannot disagree. */
export interface Variable<T> {
  name: string;
  meaning: string;
  /** The text that is parsed if the variable is not set; null: the setting is then absent. */
  byDefault: string | Record<Profile, string> | null;
  parse: (raw: string) => T;
  /** Never repeated in a message. May be given as `<name>_FILE`, the path of a file with the value. */
  secret?: true;
}
