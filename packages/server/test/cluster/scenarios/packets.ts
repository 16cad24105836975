import { expect } from "bun:test";
import { enrol, postPatiently } from "../../support/cluster/enrol.ts";
import { Lab } from "../../support/cluster/lab.ts";
import type { Scenario } from "../../support/cluster/scenario.ts";
import { Client } from "../../support/servers/test-server.ts";

/** Guarantee P12: however many claim a red packet on however many nodes, its shares go out once each. */
export const packets: Scenario<{ nodes: number; packets: number; people: number; shares: number }> = {
  name: "packets",
  title: "a red packet claimed on all nodes at once gives each share once, to one person each",
  short: { nodes: 3, packets: 4, people: 20, shares: 7 },
  long: { nodes: 3, packets: 200, people: 100, shares: 30 },
  async run({ nodes, packets, people, shares }, say) {
    await using lab = await Lab.open(nodes, { PARLEY_INITIAL_POINTS: "1000000" });
    const giver = await enrol(lab.node(0).url, "olga");
    const channel = await postPatiently(giver, "/api/channels", { name: "packets" });
    const id: number = channel.body.channel_id;
    const claimers: Client[] = [];
    for (let n = 0; n < people; n++) {
      const person = await enrol(lab.node(n).url, `person${n}`);
      await postPatiently(person, `/api/channels/${id}/join`);
      claimers.push(person);
    }
    let claimed = 0;
    let over = 0;
    for (let n = 0; n < packets; n++) {
      const made = await giver.post("/api/red-packets", {
        channel_id: id,
        total_amount: String(10 * shares),
        count: shares,
      });
      expect(made.status).toBe(201);
      // Each person claims on every node at once.
      const asked = claimers.flatMap(({ credential }) =>
        lab.nodes.map((node) => new Client(node.url, credential).post(`/api/red-packets/${made.body.packet_id}/claim`)),
      );
      const answers = await Promise.all(asked);
      const unexpected = answers.filter(({ status, body }) => status !== 200 && body.retryable !== false);
      expect(unexpected.map(({ body }) => body)).toEqual([]);
      const packet = await giver.get(`/api/red-packets/${made.body.packet_id}`);
      const { claims } = packet.body;
      expect(new Set(claims.map(({ username }: { username: string }) => username)).size).toBe(shares);
      const sum = claims.reduce((total: bigint, claim: { amount: string }) => total + BigInt(claim.amount), 0n);
      expect(sum).toBe(BigInt(10 * shares));
      claimed += claims.length;
      over += Math.max(0, claims.length - shares);
      if (n % 20 === 19) say(`${n + 1} packets`);
    }
    const doctor = await lab.node(0).server.command("doctor");
    expect(doctor).not.toContain("problem");
    return { packets, claims: claimed, over };
  },
};
