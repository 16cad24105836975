/** An error whose message is already in the user's language, and is shown unchanged. */
export class UserFacingError extends Error {
  override readonly name = "UserFacingError";
  override toString(): string {
    return this.message;
  }
}
