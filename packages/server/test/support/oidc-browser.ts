import { CALLBACK } from "../../src/accounts/oidc/login.ts";
import { Client, type TestServer } from "./servers/test-server.ts";

/** Where a browser is: the last address, the status there, and its body. */
export interface Visited {
  url: URL;
  status: number;
  text: string;
}

/** A browser that keeps the cookies of each origin and follows redirects. */
export class OidcBrowser {
  readonly #server: { url: string };
  readonly #jars = new Map<string, Map<string, string>>();

  readonly #headers: Readonly<Record<string, string>>;

  /** `headers` go with each of its requests, such as the address that a proxy reports. */
  constructor(server: { url: string }, headers: Readonly<Record<string, string>> = {}) {
    this.#server = server;
    this.#headers = headers;
  }

  /** A caller with the browser's cookies at the server. */
  get client(): Client {
    return new Client(this.#server.url, { cookie: this.cookies(this.#server.url) });
  }

  cookies(origin: string): string {
    return [...this.#jar(new URL(origin))].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  /** Ends the browser's session at the provider, so that another account can log in there. */
  forget(origin: string): void {
    this.#jar(new URL(origin)).clear();
  }

  setCookies(origin: string, text: string): void {
    const jar = this.#jar(new URL(origin));
    jar.clear();
    for (const pair of text.split("; ")) jar.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
  }

  /** Logs in by the provider, and returns where that ends: the page, or the page with an error. */
  logIn(query = ""): Promise<Visited> {
    return this.go(`${this.#server.url}/api/auth/oidc/start${query}`);
  }

  /** Begins a login, and returns the address of the callback, which is not visited. */
  async untilCallback(start = "/api/auth/oidc/start"): Promise<URL> {
    const { url } = await this.go(new URL(start, this.#server.url).href, ({ pathname }) => pathname === CALLBACK);
    if (url.pathname !== CALLBACK) throw new Error(`led to ${url}, not to the callback`);
    return url;
  }

  /** Follows redirects until a page is shown, or until an address at which to stop. */
  async go(start: string, isEnd: (url: URL) => boolean = () => false): Promise<Visited> {
    let url = new URL(start);
    for (let steps = 0; steps < 20; steps++) {
      if (isEnd(url)) return { url, status: 0, text: "" };
      const headers = { ...this.#headers, cookie: this.cookies(url.origin) };
      const response = await fetch(url, { redirect: "manual", headers });
      for (const set of response.headers.getSetCookie()) this.#keep(url, set);
      const location = response.headers.get("location");
      if (location === null) return { url, status: response.status, text: await response.text() };
      await response.body?.cancel();
      url = new URL(location, url);
    }
    throw new Error(`too many redirects, the last to ${url}`);
  }

  #keep(url: URL, set: string): void {
    const [pair = "", ...attributes] = set.split(";");
    const name = pair.slice(0, pair.indexOf("="));
    const isGone = attributes.some((attribute) => /^\s*(max-age=0|expires=Thu, 01 Jan 1970.*)$/i.test(attribute));
    if (isGone) this.#jar(url).delete(name);
    else this.#jar(url).set(name, pair.slice(pair.indexOf("=") + 1));
  }

  #jar({ origin }: URL): Map<string, string> {
    const found = this.#jars.get(origin) ?? new Map<string, string>();
    this.#jars.set(origin, found);
    return found;
  }
}

/** Returns the name of the user of a browser's session; null without one. */
export async function userOf(server: TestServer, browser: OidcBrowser): Promise<string | null> {
  const id = await browser.client.get("/api/auth/sessions");
  if (id.status !== 200) return null;
  const current = id.body.sessions.find(({ current }: { current: boolean }) => current).session_id;
  const row = await server.ctx.db
    .selectFrom("sessions")
    .innerJoin("users", "users.id", "sessions.user_id")
    .select("users.username")
    .where("sessions.id", "=", current)
    .executeTakeFirst();
  return row?.username ?? null;
}

/** Sends a logout token to the server, as the provider does. */
export const announceLogout = (server: TestServer, token: string) =>
  server.guest.send("POST", "/api/auth/oidc/backchannel-logout", {
    raw: new URLSearchParams({ logout_token: token }).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
