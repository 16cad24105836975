import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import {
  AMOUNT_LIMIT,
  commitmentOf,
  type PublicPacket,
  SPLIT_ALGORITHM,
  type SplitTerms,
  sharesOf,
  splitProblems,
} from "../../src/red-packets/claim/split.ts";
import { cli } from "../support/cli.ts";
import { temporaryFolder } from "../support/config.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { Client, startTestServer } from "../support/servers/test-server.ts";

const GUIDE = new URL("../../../../docs/guide/red-packets.md", import.meta.url).pathname;

const server = await forAllTests(startTestServer({ rateLimits: "off" }));
const folder = temporaryFolder();

/** The program of the guide, as a reader copies it. */
async function program(): Promise<string> {
  const [, source = ""] = /```js\n([\s\S]*?)```/.exec(await Bun.file(GUIDE).text()) ?? [];
  expect(source.split("\n").length).toBeLessThanOrEqual(31);
  const path = join(folder, "check.mjs");
  writeFileSync(path, source);
  return path;
}

async function runProgram(places: readonly string[]): Promise<string[]> {
  const child = Bun.spawn([process.execPath, await program(), ...places], { stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect(err).toBe("");
  return out.trimEnd().split("\n");
}

function keep(packet: PublicPacket, name: string): string {
  const path = join(folder, `${name}.json`);
  writeFileSync(path, JSON.stringify({ success: true, ...packet }));
  return path;
}

let names = 0;

/** Creates a packet whose shares are all claimed, over HTTP. */
async function closedPacket(): Promise<{ url: string; packet: PublicPacket }> {
  const people = await Promise.all([1, 2, 3].map(() => server.user(`p${++names}`)));
  const [ann] = people;
  if (ann === undefined) throw new Error("nobody");
  const made = await ann.post("/api/red-packets", { channel_slug: "general", total_amount: "77", count: 3 });
  const path = `/api/red-packets/${made.body.packet_id}`;
  for (const who of people) expect((await who.post(`${path}/claim`)).status).toBe(200);
  return { url: server.url + path, packet: (await new Client(server.url).get(path)).body };
}

describe("a closed red packet", () => {
  test("is checked from its public record by the command and by the program of the guide", async () => {
    const { url, packet } = await closedPacket();
    expect(splitProblems(packet)).toEqual([]);
    expect(await runProgram([url, keep(packet, "closed")])).toEqual(
      Array(2).fill(`${packet.red_packet.packet_id} as promised`),
    );
    for (const place of [url, keep(packet, "closed")]) {
      const done = await cli(["packet", "verify", place, "--json"], {});
      expect(done).toMatchObject({ code: 0 });
      expect(JSON.parse(done.out)).toMatchObject({ is_fair: true, problems: [] });
    }
  });

  test("a packet that was tampered with is detected by both", async () => {
    const { packet } = await closedPacket();
    const { red_packet, claims } = packet;
    const other = (name: string, change: Partial<PublicPacket["red_packet"]>) =>
      keep({ red_packet: { ...red_packet, ...change }, claims }, name);
    const { seed } = red_packet.fairness;
    const flipped = `${seed?.startsWith("0") ? "1" : "0"}${seed?.slice(1)}`;
    // All ranks are moved by one: 77 does not split into three equal shares, so at least one share differs.
    const places = [
      other("seed", { fairness: { ...red_packet.fairness, seed: flipped } }),
      other("terms", { total_amount: "78" }),
      keep({ red_packet, claims: claims.map((claim) => ({ ...claim, rank: (claim.rank % 3) + 1 })) }, "ranks"),
    ];
    expect(new Set(await runProgram(places))).toEqual(new Set([`${red_packet.packet_id} NOT as promised`]));
    for (const place of places) {
      const { code, out } = await cli(["packet", "verify", place], {});
      expect({ code, says: out.includes("NOT split as promised") }).toEqual({ code: 1, says: true });
    }
  });
});

test("the program and the server split any amount alike", async () => {
  const terms = fc.record({
    type: fc.constantFrom("random" as const, "equal" as const),
    count: fc.integer({ min: 1, max: 200 }),
    minShare: fc.oneof(fc.constant(1n), fc.bigInt({ min: 2n, max: 2n ** 60n })),
    more: fc.oneof(
      fc.bigInt({ min: 0n, max: 1_000n }),
      fc.bigInt({ min: 2n ** 31n, max: 2n ** 34n }),
      fc.bigInt({ min: 0n, max: AMOUNT_LIMIT / 2n }),
    ),
  });
  const drawn = fc.sample(fc.tuple(terms, fc.uint8Array({ minLength: 32, maxLength: 32 })), { numRuns: 150, seed: 7 });
  const places = drawn.map(([{ more, ...rest }, seed], index) => {
    const split: SplitTerms = { ...rest, total: rest.minShare * BigInt(rest.count) + more };
    return keep(recordOf(index + 1, split, seed), `drawn${index}`);
  });
  expect(await runProgram(places)).toEqual(places.map((_, index) => `${index + 1} as promised`));
});

function recordOf(id: number, terms: SplitTerms, seed: Uint8Array): PublicPacket {
  const { type, total, count, minShare } = terms;
  const fairness = {
    algorithm: SPLIT_ALGORITHM,
    min_share: String(minShare),
    commitment: commitmentOf(terms, seed),
    seed: Buffer.from(seed).toString("hex"),
  };
  const packet = { packet_id: id, split_type: type, total_amount: String(total), count, fairness };
  const claims = sharesOf(terms, seed).map((share, at) => ({ rank: at + 1, amount: String(share) }));
  return { red_packet: packet, claims } as PublicPacket;
}

test("the check reports what cannot be checked", async () => {
  const ann = await server.user("unclosed");
  const made = await ann.post("/api/red-packets", { channel_slug: "general", total_amount: "5", count: 5 });
  const path = `/api/red-packets/${made.body.packet_id}`;
  // An open packet is no reason for an accusation.
  const open = await cli(["packet", "verify", server.url + path], {});
  expect(open).toMatchObject({ code: 1, out: "", err: expect.stringContaining("not closed yet") });
  expect(await runProgram([server.url + path])).toEqual([`${made.body.packet_id} is not closed yet`]);
  for (const [place, says] of [
    [`${server.url}/api/red-packets/99999`, "status 404"],
    [join(folder, "nothing.json"), "cannot be read"],
    [GUIDE, "is not JSON"],
    [`${server.url}/livez`, "is not a red packet"],
  ] as const) {
    const { code, err } = await cli(["packet", "verify", place], {});
    expect({ code, says: err.includes(says) }).toEqual({ code: 1, says: true });
  }
});
