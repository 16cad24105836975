/**
 * An error of another service than the database, such as the storage of files or the virus scanner. The codes of its cause
 * (`ECONNREFUSED`) say nothing about the database.
 */
export class ForeignError extends Error {
  override readonly name = "ForeignError";
}
