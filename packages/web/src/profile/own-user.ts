import type { UserAnswer } from "@parley/protocol/accounts";

/** The user's own record. */
export type OwnUser = Omit<UserAnswer, "success">;

export interface ProfilePartProps {
  user: OwnUser;
  /** Called with the updated record. */
  onUser(user: OwnUser): void;
}
