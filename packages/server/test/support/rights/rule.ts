import type { ErrorCode } from "@parley/protocol/errors";
import type { Auth } from "../../../src/http/route.ts";
import type { Role } from "./roles.ts";

/** `yes`, or the code of the refusal. */
export type Answer = "yes" | ErrorCode;

/** One line of the table. */
export interface Rule {
  /** The callers that the route accepts at all (http/route.ts). */
  call: Auth;
  /**
   * The roles that may then perform the act in a public channel. In a closed channel, they also need to be members or
   * to read it by site level (2 and above).
   */
  may: readonly Role[];
  /** The response to all other roles; `forbidden` by default. */
  otherwise?: Answer;
  /** Exceptions for single roles. */
  but?: Partial<Record<Role, Answer>>;
  /**
   * The responses to outsiders, if they differ from `password_required` in a locked channel and `payment_required` in a
   * priced one.
   */
  outside?: Partial<Record<"locked" | "priced", { others?: Answer; banned?: Answer }>>;
  /** In a priced channel, callers without access get `payment_required`. */
  isSold?: boolean;
  /** The response to site levels 2 and 3 in a closed channel that they are not in, if it differs. */
  byLevel?: Answer;
  /** The response to site levels 2 and 3 in a direct conversation of two other users, if it differs. */
  direct?: Answer;
}
