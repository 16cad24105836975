import { createECDH, randomBytes } from "node:crypto";

/** Returns the keys of a browser's push subscription, as `PushSubscription.toJSON()` has them. */
export function pushKeys(): { p256dh: string; auth: string } {
  const browser = createECDH("prime256v1");
  return {
    p256dh: Buffer.from(browser.generateKeys()).toString("base64url"),
    auth: randomBytes(16).toString("base64url"),
  };
}
