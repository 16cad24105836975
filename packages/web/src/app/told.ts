/** A failure whose message is in the person's own words already, and is shown as it stands. */
export class Told extends Error {
  override readonly name = "Told";
  override toString(): string {
    return this.message;
  }
}
