import { type Fields, TEXT_MAX } from "./fields.ts";

/** Limits the characters of the texts of one message, together. */
export class CharacterBudget {
  #left = TEXT_MAX;
  #isUsedUp = false;

  /** True if something did not fit, and so the message is too long. */
  get isUsedUp(): boolean {
    return this.#isUsedUp;
  }

  /** Returns a text, and counts its characters; empty if it is none, or does not fit. */
  textOf(fields: Fields, name: string): string {
    const value = fields[name];
    return typeof value === "string" ? this.take(value) : "";
  }

  /** Returns the text, and counts its characters; empty if it does not fit. */
  take(text: string): string {
    if (!this.fits(text.length)) return "";
    this.#left -= text.length;
    return text;
  }

  protected fits(characters: number): boolean {
    if (characters > this.#left) this.#isUsedUp = true;
    return !this.#isUsedUp;
  }
}
