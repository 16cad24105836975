import { expect, test } from "bun:test";
import { allMessages } from "../support/all-messages.ts";
import { temporaryFolder } from "../support/config.ts";
import { ChildServer, freePort } from "../support/servers/child-server.ts";
import { type Answered, Client, signUp } from "../support/servers/test-server.ts";

/**
 * Kill -9 while packets are created, claimed and cancelled (guarantees P11 and P12): afterwards each packet has its
 * message and its balance or does not exist, acknowledged results hold, and every point is accounted for.
 */
const KILLS = Number(process.env.PARLEY_TEST_PACKET_KILLS ?? 15);
const PEOPLE = 6;

/**
 * Creates, claims and cancels one after another until the server is gone; an unanswered creation is asked for again.
 */
class Player {
  readonly made = new Map<string, number>();
  readonly claimed = new Map<number, string>();
  readonly #client: Client;
  readonly #name: string;
  #keys = 0;
  #unknown: string | undefined;

  constructor(client: Client, name: string) {
    this.#client = client;
    this.#name = name;
  }

  async run(): Promise<void> {
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

  #ask(path: string, body: unknown, key?: string): Promise<Answered | null> {
    const headers = key === undefined ? {} : { headers: { "idempotency-key": key } };
    return this.#client.post(`/api/red-packets${path}`, body, headers).catch(() => null);
  }
}

test(`${KILLS} kills while ${PEOPLE} play lose, repeat and invent nothing`, async () => {
  await using server = new ChildServer(temporaryFolder(), freePort(), {
    PARLEY_INITIAL_POINTS: "300",
    PARLEY_RATE_LIMITS: "off",
  });
  await server.start();
  const players: Player[] = [];
  for (let n = 0; n < PEOPLE; n++) {
    players.push(new Player(await signUp(server.url, `player${n}`), `player${n}`));
  }
  for (let kill = 0; kill < KILLS; kill++) {
    const playing = Promise.all(players.map((player) => player.run()));
    await new Promise((resolve) => setTimeout(resolve, 20 + ((kill * 37) % 130)));
    await server.end("SIGKILL");
    await playing;
    await server.start();
  }
  const guest = new Client(server.url);
  const packets = await allOf(guest);
  const messages = new Map<number, number>((await allMessages(guest)).map(({ packet_id, id }) => [packet_id, id]));
  expect(packets.map(({ packet_id, message_id }) => [packet_id, message_id])).toEqual(
    packets.map(({ packet_id }) => [packet_id, messages.get(packet_id) ?? 0]),
  );
  expect(messages.size).toBe(packets.length);
  const ids = players.flatMap(({ made }) => [...made.values()]);
  // Each key made one packet; the last unanswered keys may have made one more each.
  expect(new Set(ids).size).toBe(ids.length);
  expect(packets.length - ids.length).toBeLessThanOrEqual(PEOPLE);
  for (const { packet_id } of packets) {
    const { red_packet, claims } = (await guest.get(`/api/red-packets/${packet_id}`)).body;
    const claimed = claims.reduce((sum: number, { amount }: { amount: string }) => sum + Number(amount), 0);
    expect(claimed + Number(red_packet.remaining_amount) + Number(red_packet.refund?.amount ?? 0)).toBe(3);
    const standing = new Set(claims.map((claim: unknown) => JSON.stringify(claim)));
    for (const { claimed } of players) if (claimed.has(packet_id)) expect(standing).toContain(claimed.get(packet_id));
  }
  await server.end("SIGTERM");
  const { findings } = JSON.parse(await server.command("doctor", "--json"));
  const ledger = findings.filter(({ check }: { check: string }) => check === "ledger");
  expect(ledger).toMatchObject([{ state: "ok" }]);
  console.log(
    JSON.stringify({ kills: KILLS, packets: packets.length, claims: players.reduce((n, p) => n + p.claimed.size, 0) }),
  );
}, 300_000);

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
