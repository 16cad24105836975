import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from "node:crypto";
import type { PushPayload } from "@parley/protocol/notifications";

/** A message as the push service received it, decrypted with the browser's keys. */
export interface Pushed {
  payload: PushPayload;
  headers: Headers;
  /** The claims of the server's token, whose signature is verified. */
  claims: { aud: string; exp: number; sub: string };
}

/** A push service with one browser per path: it decrypts what arrives (RFC 8291) and answers with `status`. */
export class PushService implements Disposable {
  readonly pushed: Pushed[] = [];
  /** What it answers, or does. */
  answer: () => Response | Promise<Response> = () => new Response(null, { status: 201 });
  /** Requests that arrived, also before they were answered. */
  requests = 0;
  readonly #server: ReturnType<typeof Bun.serve>;
  readonly #browsers = new Map<string, { keys: ReturnType<typeof createECDH>; auth: Buffer; serverKey: string }>();

  constructor() {
    this.#server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => this.#receive(request) });
  }

  /** Returns what a browser passes to the server when it subscribes. */
  browser(serverKey: string): { endpoint: string; keys: { p256dh: string; auth: string } } {
    const path = `/${randomBytes(12).toString("hex")}`;
    const keys = createECDH("prime256v1");
    const p256dh = Buffer.from(keys.generateKeys()).toString("base64url");
    const auth = randomBytes(16);
    this.#browsers.set(path, { keys, auth, serverKey });
    const endpoint = `http://127.0.0.1:${this.#server.port}${path}`;
    return { endpoint, keys: { p256dh, auth: auth.toString("base64url") } };
  }

  async #receive(request: Request): Promise<Response> {
    const browser = this.#browsers.get(new URL(request.url).pathname);
    const body = Buffer.from(await request.arrayBuffer());
    this.requests += 1;
    if (browser === undefined) return new Response(null, { status: 404 });
    const payload = decrypt(body, browser.keys, browser.auth);
    const claims = claimsOf(request.headers.get("authorization") ?? "", browser.serverKey);
    const answer = await this.answer();
    if (answer.ok) this.pushed.push({ payload: JSON.parse(payload), headers: request.headers, claims });
    return answer;
  }

  [Symbol.dispose](): void {
    this.#server.stop(true);
  }
}

function decrypt(body: Buffer, browser: ReturnType<typeof createECDH>, auth: Buffer): string {
  const salt = body.subarray(0, 16);
  const keyLength = body[20] ?? 0;
  const server = body.subarray(21, 21 + keyLength);
  const sealed = body.subarray(21 + keyLength);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), browser.getPublicKey(), server]);
  const secret = Buffer.from(hkdfSync("sha256", browser.computeSecret(server), auth, info, 32));
  const key = Buffer.from(hkdfSync("sha256", secret, salt, "Content-Encoding: aes128gcm\0", 16));
  const nonce = Buffer.from(hkdfSync("sha256", secret, salt, "Content-Encoding: nonce\0", 12));
  const cipher = createDecipheriv("aes-128-gcm", key, nonce);
  cipher.setAuthTag(sealed.subarray(-16));
  const padded = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]);
  return padded.subarray(0, padded.lastIndexOf(2)).toString();
}

function claimsOf(authorization: string, serverKey: string): Pushed["claims"] {
  const { token = "", key = "" } = /^vapid t=(?<token>[^,]+), ?k=(?<key>.+)$/.exec(authorization)?.groups ?? {};
  if (key !== serverKey) throw new Error("The message is not from the server whose key the browser has.");
  const point = Buffer.from(key, "base64url");
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString("base64url"));
  const publicKey = createPublicKey({ key: { kty: "EC", crv: "P-256", x: x ?? "", y: y ?? "" }, format: "jwk" });
  const [head, claims = "", signature = ""] = token.split(".");
  const isSigned = verify(
    "sha256",
    Buffer.from(`${head}.${claims}`),
    { key: publicKey, dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url"),
  );
  if (!isSigned) throw new Error("The token is not signed by the server's key.");
  return JSON.parse(Buffer.from(claims, "base64url").toString());
}
