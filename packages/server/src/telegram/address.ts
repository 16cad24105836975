/** The parts of an address under `/telegram` (protocol §15.1). */
export interface Address {
  readonly kind: "method" | "file";
  readonly botId: number;
  readonly apiKey: string;
  /** The method in lower case, or the path of the file. */
  readonly rest: string;
}

const BOT_USER = /^0*7\d{9,12}$/;
const BOT_OFFSET = 7_000_000_000;

/**
 * Reads an address. Returns `wrong_token` for a token of another form, null for an address that does not exist. `//`
 * counts as `/`, because clients join an address that ends with a slash; some encode the colon of the token.
 */
export function parseAddress(url: string): Address | "wrong_token" | null {
  const path = decoded(new URL(url).pathname).replace(/\/{2,}/g, "/");
  const [, file, token = "", rest = ""] = /^\/telegram(\/file)?\/bot([^/]*)\/(.+)$/.exec(path) ?? [];
  if (rest === "") return null;
  const [, id = "", apiKey = ""] = /^(\d{1,16}):([^/:]+)$/.exec(token) ?? [];
  if (apiKey === "" || !BOT_USER.test(id)) return "wrong_token";
  const kind = file === undefined ? "method" : "file";
  return { kind, botId: Number(id) - BOT_OFFSET, apiKey, rest: file === undefined ? rest.toLowerCase() : rest };
}

/** Returns the path without percent-encoding, or as it is if it is malformed: then nothing has this address. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
