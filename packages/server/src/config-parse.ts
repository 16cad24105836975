import { isIP } from "node:net";

/** Turn the text of a variable into its value, or throw an Error whose message completes "NAME …". */

/** An integer of `[min, max]`. */
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

/** One of a few words. */
export function oneOf<const W extends string>(...words: readonly W[]): (raw: string) => W {
  return (raw) => {
    const found = words.find((word) => word === raw);
    if (found === undefined) throw new Error(`must be one of ${words.join(", ")}`);
    return found;
  };
}

/** `true`, `false`, `1` or `0`, as in a query (protocol §0). */
export function boolean(raw: string): boolean {
  if (raw === "true" || raw === "1") return true;
  if (raw === "false" || raw === "0") return false;
  throw new Error("must be true or false");
}

export function hostName(raw: string): string {
  if (isIP(raw) !== 0 || /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(raw)) return raw;
  throw new Error("must be a host name or an address, without scheme and port");
}

export function folder(raw: string): string {
  if (raw.includes("\0")) throw new Error("must be the path of a folder");
  return raw;
}

/** The parts of a comma-separated list, each turned by `part`. */
export function list<T>(part: (raw: string) => T): (raw: string) => T[] {
  return (raw) =>
    raw
      .split(",")
      .map((text) => text.trim())
      .filter((text) => text !== "")
      .map(part);
}

/** Nothing but scheme, host and port. */
const isBare = ({ username, password, pathname, search, hash }: URL): boolean =>
  `${username}${password}${search}${hash}` === "" && pathname === "/";

/** Addresses or networks by comma; the word `none` says that there are none. */
export function networksOrNone(raw: string): string[] {
  return raw.toLowerCase() === "none" ? [] : list(network)(raw);
}

/** Integers that ascend from 0, by comma: `0,100,200`. */
export function thresholds(raw: string): readonly number[] {
  const values = list(integer(0))(raw);
  if (values[0] === 0 && values.every((value, i) => i === 0 || value > (values[i - 1] ?? 0))) return values;
  throw new Error("must be integers that ascend from 0, such as 0,100,200");
}

/** A web address of a whole server, given back as its origin: `https://chat.example.org`. */
export function publicUrl(raw: string): string {
  const url = URL.parse(raw);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new Error("must be an address such as https://chat.example.org");
  }
  if (!isBare(url)) {
    throw new Error("must have no path, query, fragment or credentials: Parley is served at the root of its host");
  }
  return url.origin;
}

/** An origin as browsers send it, or `*`. */
export function origin(raw: string): string {
  if (raw === "*") return raw;
  const url = URL.parse(raw);
  if (url === null || url.host === "" || !/^[a-z][a-z0-9+.-]*:\/\/[^/?#@\s]+\/?$/i.test(raw)) {
    throw new Error(`has "${raw}", which is not an origin such as https://app.example.org`);
  }
  return url.origin === "null" ? raw.replace(/\/$/, "") : url.origin;
}

/** An address or a network: `10.0.0.7`, `10.0.0.0/8`, `::1`. */
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

/** Is it a name or address of this machine, as a URL writes it? */
export const isLoopback = (hostname: string): boolean => LOOPBACK.test(hostname);

/** Where an API is, given back as its origin. Only on this machine may it be http: a credential travels there. */
export function apiUrl(raw: string): string {
  const url = URL.parse(raw);
  const isPlain = url?.protocol === "http:" && isLoopback(url.hostname);
  if (url === null || !(url.protocol === "https:" || isPlain)) {
    throw new Error("must be https, such as https://api.example.org (http only on this machine)");
  }
  if (!isBare(url)) {
    throw new Error("must have no path, query, fragment or credentials");
  }
  return url.origin;
}

/** The same with a path, which is kept without a slash at its end. */
export function apiBase(raw: string): string {
  const url = URL.parse(raw);
  const path = (url?.pathname ?? "").replace(/\/+$/, "");
  if (url !== null && `${url.search}${url.hash}` === "") url.pathname = "/";
  return `${apiUrl(url === null ? raw : url.href)}${path}`;
}

/** An address of `apiUrl`, or `off`, which is null. */
export const apiUrlOrOff = (raw: string): string | null => (raw === "off" ? null : apiUrl(raw));

/** A secret that travels in a header. Its text is not repeated. */
export function headerSecret(raw: string): string {
  if (/^[\x21-\x7e]{1,4096}$/.test(raw)) return raw;
  throw new Error("must be one word of visible ASCII characters");
}

/** A secret that callers present. It is long enough not to be guessed; its text is not repeated. */
export function accessToken(raw: string): string {
  if (headerSecret(raw).length >= 16) return raw;
  throw new Error("must have at least 16 characters, such as the output of: openssl rand -hex 24");
}

/** Hosts of instances, by comma; one may be followed by `=` and the address of its API. Maps each host to that address. */
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
