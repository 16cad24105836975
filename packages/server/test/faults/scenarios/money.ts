import { expect } from "bun:test";
import { allMessages } from "../../support/all-messages.ts";
import type { Scenario } from "../../support/cluster/scenario.ts";
import { temporaryFolder } from "../../support/config.ts";
import { Random } from "../../support/faults/random.ts";
import { ChildServer, freePort } from "../../support/servers/child-server.ts";
import { type Answered, Client, signUp } from "../../support/servers/test-server.ts";

/** A kill comes after this many answers at most. */
const ANSWERS_PER_KILL_MAX = 400;

/**
 * Guarantees P11 and P12: after kills while packets are created, claimed and cancelled, each packet has its message and
 * its balance or does not exist, acknowledged results hold, and every point is accounted for.
 */
export const money: Scenario<{ seed: number; kills: number; people: number }> = {
  name: "money",
  title: "kills while people make, claim and cancel red packets lose, repeat and invent no point",
  short: { seed: 0, kills: 15, people: 6 },
  long: { seed: 0, kills: 200, people: 20 },
  async run({ seed, kills, people }, say) {
    const random = new Random(seed);
    await using server = new ChildServer(temporaryFolder(), freePort(), {
      PARLEY_INITIAL_POINTS: "300",
      PARLEY_RATE_LIMITS: "off",
    });
    await server.start();
    const players: Player[] = [];
    for (let n = 0; n < people; n++) players.push(new Player(await signUp(server.url, `player${n}`), `player${n}`));
    for (let kill = 0; kill < kills; kill++) {
      const enough = Promise.withResolvers<void>();
      let left = 1 + random.below(ANSWERS_PER_KILL_MAX);
      const count = () => {
        left -= 1;
        if (left === 0) enough.resolve();
      };
      const playing = Promise.all(players.map((player) => player.run(count)));
      await enough.promise;
      await server.end("SIGKILL");
      await playing;
      await server.start();
      if (kill % 10 === 9) say(`${kill + 1} kills`);
    }
    const packets = await judge(new Client(server.url), players);
    await server.end("SIGTERM");
    const { findings } = JSON.parse(await server.command("doctor", "--json"));
    const ledger = findings.filter(({ check }: { check: string }) => check === "ledger");
    expect(ledger).toMatchObject([{ state: "ok" }]);
    const claims = players.reduce((sum, { claimed }) => sum + claimed.size, 0);
    return { seed, kills, people, packets, claims };
  },
};

/** A user who creates, claims and cancels packets. An unanswered creation is asked for again. */
class Player {
  readonly made = new Map<string, number>();
  readonly claimed = new Map<number, string>();
  readonly #client: Client;
  readonly #name: string;
  #onAnswer = () => {};
  #keys = 0;
  #unknown: string | undefined;

  constructor(client: Client, name: string) {
    this.#client = client;
    this.#name = name;
  }

  /** Plays until the server is gone. */
  async run(onAnswer: () => void): Promise<void> {
    this.#onAnswer = onAnswer;
    for (;;) {
      const key = this.#unknown ?? `${this.#name}-packet-${++this.#keys}`;
      this.#unknown = key;
      const made = await this.#ask("", { channel_slug: "general", total_amount: "3", count: 3 }, key);
      if (made === null) return;
      this.#unknown = undefined;
      if (made.status === 409) expect(made.body.code).toBe("insufficient_balance");
      else {
        expect([200, 201]).toContain(made.status);
        this.made.set(key, made.body.packet_id);
      }
      const newest = Math.max(1, ...this.made.values());
      for (let id = Math.max(1, newest - 3); id <= newest + 3; id += 1) {
        const answer = await this.#ask(`/${id}/claim`, undefined);
        if (answer === null) return;
        if (answer.status === 200) {
          const told = JSON.stringify(answer.body.claim);
          expect(told).toBe(this.claimed.get(id) ?? told);
          this.claimed.set(id, told);
        }
      }
      if (this.#keys % 3 === 0 && (await this.#ask(`/${newest}/cancel`, undefined)) === null) return;
    }
  }

  async #ask(path: string, body: unknown, key?: string): Promise<Answered | null> {
    const headers = key === undefined ? {} : { headers: { "idempotency-key": key } };
    const answer = await this.#client.post(`/api/red-packets${path}`, body, headers).catch(() => null);
    if (answer !== null) this.#onAnswer();
    return answer;
  }
}

/** Returns the number of packets. Throws if one contradicts an answer, or if its amounts do not add up. */
async function judge(guest: Client, players: readonly Player[]): Promise<number> {
  const packets = await allOf(guest);
  const messages = new Map<number, number>((await allMessages(guest)).map(({ packet_id, id }) => [packet_id, id]));
  expect(packets.map(({ packet_id, message_id }) => [packet_id, message_id])).toEqual(
    packets.map(({ packet_id }) => [packet_id, messages.get(packet_id) ?? 0]),
  );
  expect(messages.size).toBe(packets.length);
  const ids = players.flatMap(({ made }) => [...made.values()]);
  // Each key made one packet; the last unanswered keys may have made one more each.
  expect(new Set(ids).size).toBe(ids.length);
  expect(packets.length - ids.length).toBeLessThanOrEqual(players.length);
  for (const { packet_id } of packets) {
    const { red_packet, claims } = (await guest.get(`/api/red-packets/${packet_id}`)).body;
    const claimed = claims.reduce((sum: number, { amount }: { amount: string }) => sum + Number(amount), 0);
    expect(claimed + Number(red_packet.remaining_amount) + Number(red_packet.refund?.amount ?? 0)).toBe(3);
    const standing = new Set(claims.map((claim: unknown) => JSON.stringify(claim)));
    for (const { claimed } of players) if (claimed.has(packet_id)) expect(standing).toContain(claimed.get(packet_id));
  }
  return packets.length;
}

interface Listed {
  packet_id: number;
  message_id: number;
}

async function allOf(client: Client): Promise<Listed[]> {
  const all: Listed[] = [];
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const { body } = await client.get(`/api/red-packets?channel_id=general&limit=200&before=${before}`);
    all.push(...body.red_packets);
    if (!body.has_more) return all;
    before = body.next_before;
  }
}
