import { createHash, createSign, generateKeyPairSync, randomBytes } from "node:crypto";
import { isoCBOR } from "@simplewebauthn/server/helpers";

const sha256 = (data: string | Uint8Array): Buffer => createHash("sha256").update(data).digest();
const base64url = (data: Uint8Array): string => Buffer.from(data).toString("base64url");
const PRESENT = 0x01;
const VERIFIED = 0x04;
const HAS_KEY = 0x40;

/** How a passkey deviates from a right one. */
export interface Deviation {
  origin?: string;
  rpId?: string;
  isVerified?: boolean;
  counter?: number;
  challenge?: string;
  userHandle?: string | null;
  /** Signs other bytes than it sends. */
  isForged?: boolean;
  /** The format of the attestation. */
  format?: string;
}

/** A passkey in software, for tests without a browser: an authenticator with one credential (Web Authentication, §6). */
export class SoftPasskey {
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  readonly id = base64url(randomBytes(16));
  readonly #origin: string;
  readonly #rpId: string;
  #userHandle = "";
  counter = 0;

  constructor(origin: string) {
    this.#origin = origin;
    this.#rpId = new URL(origin).hostname;
  }

  /** Answers the options of POST /api/auth/passkeys/options. */
  register(options: { challenge: string; user: { id: string } }, deviation: Deviation = {}) {
    this.#userHandle = options.user.id;
    const { x = "", y = "" } = this.#keys.publicKey.export({ format: "jwk" });
    const key = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, new Uint8Array(Buffer.from(x, "base64url"))],
      [-3, new Uint8Array(Buffer.from(y, "base64url"))],
    ]);
    const id = Buffer.from(this.id, "base64url");
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const cose = isoCBOR.encode(key);
    const authData = Buffer.concat([this.#head(HAS_KEY, deviation), Buffer.alloc(16), length, id, cose]);
    const attestation = new Map<string, string | Map<string, never> | Uint8Array>([
      ["fmt", deviation.format ?? "none"],
      ["attStmt", new Map<string, never>()],
      ["authData", new Uint8Array(authData)],
    ]);
    const clientDataJSON = this.#clientData("webauthn.create", options.challenge, deviation);
    const response = {
      clientDataJSON,
      attestationObject: base64url(isoCBOR.encode(attestation)),
      transports: ["internal"],
    };
    return { id: this.id, rawId: this.id, type: "public-key" as const, clientExtensionResults: {}, response };
  }

  /** Answers the options of POST /api/auth/passkeys/login-options. */
  sign(options: { challenge: string }, deviation: Deviation = {}) {
    const authenticatorData = this.#head(0, deviation);
    const clientDataJSON = this.#clientData("webauthn.get", options.challenge, deviation);
    const signer = createSign("sha256");
    signer.update(Buffer.concat([authenticatorData, sha256(Buffer.from(clientDataJSON, "base64url"))]));
    if (deviation.isForged === true) signer.update("more");
    const signature = base64url(signer.sign(this.#keys.privateKey));
    const { userHandle = this.#userHandle } = deviation;
    const response = { clientDataJSON, authenticatorData: base64url(authenticatorData), signature, userHandle };
    return { id: this.id, rawId: this.id, type: "public-key" as const, clientExtensionResults: {}, response };
  }

  #head(flags: number, { rpId = this.#rpId, isVerified = true, counter = this.counter }: Deviation): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([sha256(rpId), Buffer.from([flags | PRESENT | (isVerified ? VERIFIED : 0)]), count]);
  }

  #clientData(type: string, challenge: string, deviation: Deviation): string {
    const { origin = this.#origin } = deviation;
    return base64url(Buffer.from(JSON.stringify({ type, challenge: deviation.challenge ?? challenge, origin })));
  }
}
