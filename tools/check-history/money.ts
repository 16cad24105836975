import type { Invoke, Outcome } from "./lines.ts";
import type { Problems } from "./problems.ts";

interface Packet {
  claims: Map<string, bigint>;
  isRead: boolean;
}

/** Claims of red packets, the ledger, and budgets of agents. */
export class Money {
  readonly #problems: Problems;
  readonly #packets = new Map<number, Packet>();

  constructor(problems: Problems) {
    this.#problems = problems;
  }

  claim({ client, packet: id = 0 }: Invoke, { amount = "0", repeated = false }: Outcome): void {
    const packet = this.#packet(id);
    const before = packet.claims.get(client);
    const value = this.#amount(amount);
    if (before === undefined) packet.claims.set(client, value);
    else if (!repeated || before !== value)
      this.#problems.add("money", `${client} claimed ${before} and then ${amount} of packet ${id}.`);
  }

  /** Takes a packet as it is at the end. */
  packet({ packet: id = 0 }: Invoke, { total = "0", shares = 0, refunded = "0", claims = [] }: Outcome): void {
    const packet = this.#packet(id);
    packet.isRead = true;
    const stored = new Map<string, bigint>();
    for (const [client, amount] of claims) {
      if (stored.has(client)) this.#problems.add("money", `Packet ${id} has two claims of ${client}.`);
      stored.set(client, this.#amount(amount));
    }
    if (claims.length > shares) this.#problems.add("money", `Packet ${id} has ${claims.length} claims of ${shares}.`);
    const sum = [...stored.values()].reduce((all, one) => all + one, this.#amount(refunded));
    const isOver = claims.length === shares || refunded !== "0";
    if (sum > this.#amount(total) || (isOver && sum !== this.#amount(total)))
      this.#problems.add("money", `Packet ${id} had ${total}, and ${sum} was paid or refunded.`);
    for (const [client, amount] of packet.claims)
      if (stored.get(client) !== amount)
        this.#problems.add("money", `${client} was given ${amount} of packet ${id}, which has ${stored.get(client)}.`);
  }

  ledger({ sums = {} }: Outcome): void {
    for (const [currency, sum] of Object.entries(sums))
      if (this.#amount(sum) !== 0n) this.#problems.add("money", `All entries in ${currency} sum to ${sum}.`);
  }

  budget({ client }: Invoke, { limit = "0", spent = "0" }: Outcome): void {
    if (this.#amount(spent) > this.#amount(limit))
      this.#problems.add("budget", `${client} has spent ${spent} of ${limit}.`);
  }

  conclude(): void {
    for (const [id, { isRead }] of this.#packets)
      if (!isRead) this.#problems.add("history", `Packet ${id} was not read at the end.`);
  }

  #packet(id: number): Packet {
    const packet = this.#packets.get(id) ?? { claims: new Map(), isRead: false };
    this.#packets.set(id, packet);
    return packet;
  }

  #amount(text: string): bigint {
    if (/^-?\d+$/.test(text)) return BigInt(text);
    this.#problems.add("history", `${text} is not an amount in whole units.`);
    return 0n;
  }
}
