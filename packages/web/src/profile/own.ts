import type { UserAnswer } from "@parley/protocol/accounts";

/** Oneself, as the server tells it. */
export type Own = Omit<UserAnswer, "success">;

export interface ProfilePartProps {
  user: Own;
  /** It is another now. */
  onUser(user: Own): void;
}
