import { fail } from "../../errors.ts";

/**
 * One @ after a local part, a domain with a dot, and nothing that breaks a header. Only a mail can show whether the
 * address exists.
 */
const EMAIL =
  /^[^\s@<>()[\],;:"\\\p{C}]{1,64}@(?=.{1,190}$)[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?(?:\.[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?)+$/u;

/** True if the text has the form of an address. */
export const isEmail = (text: string): boolean => EMAIL.test(text);

/** @throws invalid_email */
export function checkEmail(email: string): void {
  if (!isEmail(email)) throw fail("invalid_email");
}
