import type { Invoke } from "./lines.ts";
import type { Problems } from "./problems.ts";

/** For how long an open socket may go on after the answer to a revocation, and a call beside a fault (P17). */
const BOUND_US = 2_000_000;

/** Clients whose right has ended: nothing of theirs may succeed any more. */
export class Rights {
  readonly #problems: Problems;
  /** When the revocation of each client was acknowledged. */
  readonly #endedAt = new Map<string, number>();

  constructor(problems: Problems) {
    this.#problems = problems;
  }

  end(client: string, at: number): void {
    if (!this.#endedAt.has(client)) this.#endedAt.set(client, at);
  }

  /** Takes a call that succeeded. `faulty`: a fault was at work meanwhile, so that the bound holds and not the answer. */
  succeeded({ client, f, t }: Invoke, faulty: boolean): void {
    const endedAt = this.#endedAt.get(client);
    if (endedAt === undefined || t <= endedAt + (faulty ? BOUND_US : 0)) return;
    this.#problems.add("revoked", `${client} could ${f} ${t - endedAt} µs after its right had ended.`);
  }

  pushed(client: string, t: number): void {
    const endedAt = this.#endedAt.get(client);
    if (endedAt === undefined || t <= endedAt + BOUND_US) return;
    this.#problems.add("revoked", `${client} was pushed a message ${t - endedAt} µs after its right had ended.`);
  }
}
