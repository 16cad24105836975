import type { Imports } from "../../src/resources/imports.ts";
import type { Calls } from "./every-call.ts";

/** The calls of imports, and of the links of their accounts. */
export const importCalls = (imports: Imports): Calls => ({
  "imports.list": (options) => imports.list({}, options),
  "imports.oldLink": (options) => imports.oldLink("https://acme.slack.com/archives/C1", options),
  "imports.accountOfLink": (options) => imports.accountOfLink("token", options),
  "imports.claimAccount": (options) => imports.claimAccount({ token: "token", password: "a new password" }, options),
  "imports.claimBySignOn": (options) => imports.claimBySignOn("token", options),
});
