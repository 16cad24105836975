import { fail } from "../errors.ts";

/** One @, something before it, a domain with a dot after it, nothing that breaks a header. Whether it exists only a mail can tell. */
const EMAIL =
  /^[^\s@<>()[\],;:"\\\p{C}]{1,64}@(?=.{1,190}$)[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?(?:\.[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?)+$/u;

/** @throws invalid_email */
export function checkEmail(email: string): void {
  if (!EMAIL.test(email)) throw fail("invalid_email");
}
