import { domainToASCII } from "node:url";

/**
 * Returns the form in which two addresses are the same: mail servers ignore the case of a domain, and nearly all that of
 * the name. Mail always goes to the address as its user wrote it, never to this.
 */
export function addressKey(address: string): string {
  const at = address.lastIndexOf("@");
  const domain = address.slice(at + 1).toLowerCase();
  return `${address.slice(0, at).toLowerCase().normalize("NFC")}@${domainToASCII(domain) || domain}`;
}

/** Returns the hash under which an address without an account is counted. */
export const addressHash = (address: string): string => Bun.SHA256.hash(addressKey(address), "hex");
