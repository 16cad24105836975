import type { UserResponse } from "@parley/protocol/accounts";

/** The user's own record. */
export type OwnUser = Omit<UserResponse, "success">;

export interface ProfilePartProps {
  user: OwnUser;
  /** Called with the updated record. */
  onUser(user: OwnUser): void;
}
