import type { Person } from "./people.ts";

/** A domain that leads nowhere (RFC 2606). */
const NOWHERE = "parley.invalid";

/** Gives everybody an address that nobody else has: other chats ask for one, and here it is neither needed nor unique. */
export class Addresses {
  readonly #taken = new Set<string>();

  /** Returns the person's own address; one that leads nowhere if there is none, or somebody before has the same. */
  of({ handle }: Person, email: string | null): string {
    const own = email?.toLowerCase() ?? "";
    if (email === null || own === "" || this.#taken.has(own)) return `${handle}@${NOWHERE}`;
    this.#taken.add(own);
    return email;
  }
}
