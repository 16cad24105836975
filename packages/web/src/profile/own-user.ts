import type { UserAnswer } from "@parley/protocol/accounts";

/** The user's own record. */
export type Own = Omit<UserAnswer, "success">;

export interface ProfilePartProps {
  user: Own;
  /** Called with the updated record. */
  onUser(user: Own): void;
}
