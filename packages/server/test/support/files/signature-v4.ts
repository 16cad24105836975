import { createHash, createHmac } from "node:crypto";

const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/**
 * Returns whether a signed URL has the right signature of AWS, version 4, as AWS's documentation describes it. s3rver
 * checks none.
 */
export function isRightlySigned(signed: string, method: string, secret: string, region = "us-east-1"): boolean {
  const url = new URL(signed);
  const parameters = new Map(url.searchParams);
  const signature = parameters.get("X-Amz-Signature");
  parameters.delete("X-Amz-Signature");
  const query = [...parameters]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join("&");
  const request = [method, url.pathname, query, `host:${url.host}`, "", "host", "UNSIGNED-PAYLOAD"].join("\n");
  const time = parameters.get("X-Amz-Date") ?? "";
  const day = time.slice(0, 8);
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", time, scope, createHash("sha256").update(request).digest("hex")].join("\n");
  const key = [region, "s3", "aws4_request"].reduce<Buffer>(hmac, hmac(`AWS4${secret}`, day));
  return hmac(key, text).toString("hex") === signature;
}
