import { hashWith } from "../../src/accounts/passwords/passwords.ts";
import { quickPasswords } from "./quick-passwords.ts";
import type { TestServer } from "./servers/test-server.ts";

/** Hashes the next password when `meanwhile` is done. */
export function beforeHash({ ctx }: TestServer, meanwhile: () => Promise<unknown>): void {
  hashWith(ctx, {
    ...quickPasswords,
    async hash(password) {
      hashWith(ctx, quickPasswords);
      await meanwhile();
      return quickPasswords.hash(password);
    },
  });
}
