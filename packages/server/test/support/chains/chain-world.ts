import { chainsOf } from "../../../src/chains/chains.ts";
import type { Config } from "../../../src/config/config.ts";
import { auditLedger } from "../../../src/points/ledger-audit.ts";
import { sweepPackets } from "../../../src/red-packets/close/sweep.ts";
import type { Overrides } from "../../../src/server.ts";
import { type StillClock, stillClock } from "../clock.ts";
import { giveProvenAddress } from "../proven-address.ts";
import { type Answered, type Client, startTestServer, type TestServer } from "../servers/test-server.ts";
import { FakePayouts } from "./fake-payouts.ts";
import { ETH, ScriptedChain, type ScriptedTransaction, TREASURY } from "./scripted-chain.ts";

const WANTED = { channel_slug: "general", total_amount: "9000", count: 3, chain: "evm", currency: "ETH" };

/**
 * A whole server on a scripted chain, with a stopped clock and three users. Two of them, ann and bob, have an address.
 */
export class ChainWorld implements AsyncDisposable {
  readonly server: TestServer;
  readonly clock: StillClock;
  readonly chain = new ScriptedChain();
  readonly payouts: FakePayouts;
  readonly ann: Client;
  readonly bob: Client;
  readonly cat: Client;

  private constructor(server: TestServer, clock: StillClock, [ann, bob, cat]: [Client, Client, Client]) {
    this.server = server;
    this.clock = clock;
    chainsOf(server.ctx).add(this.chain);
    this.payouts = new FakePayouts(server.ctx);
    this.ann = ann;
    this.bob = bob;
    this.cat = cat;
  }

  static async start(settings: Partial<Config> = {}, overrides: Overrides = {}): Promise<ChainWorld> {
    const clock = stillClock();
    const server = await startTestServer({ rateLimits: "off", ...settings }, { clock, ...overrides });
    const people = [await server.user("ann"), await server.user("bob"), await server.user("cat")] as const;
    const world = new ChainWorld(server, clock, [...people]);
    await world.provenAddress("ann", "0xAnn");
    await world.provenAddress("bob", "0xBob");
    return world;
  }

  /** Writes an address into a profile without proving it. */
  async address(username: string, evm_address: string): Promise<void> {
    const unproven = { evm_address, evm_proven_at: null };
    await this.server.ctx.db.updateTable("users").set(unproven).where("username", "=", username).execute();
  }

  /**
   * Gives a user a proven address. A signed challenge is not possible, because the addresses of this chain have no
   * keys.
   */
  async provenAddress(username: string, address: string): Promise<void> {
    await giveProvenAddress(this.server, username, { chain: "evm", address });
  }

  /** Creates a red packet, by default of 9,000 in 3 shares. */
  create = (more = {}, by = this.ann): Promise<Answered> => by.post("/api/red-packets", { ...WANTED, ...more });
  fund = (id: number, tx_hash: string, by = this.ann) => by.post(`/api/red-packets/${id}/fund`, { tx_hash });
  claim = (id: number, by = this.bob) => by.post(`/api/red-packets/${id}/claim`);
  read = async (id: number, by = this.ann) => (await by.get(`/api/red-packets/${id}`)).body;

  /** Returns a transfer from ann that funds such a packet, with the given changes. */
  transaction(more: Partial<ScriptedTransaction> = {}, transfer = {}): ScriptedTransaction {
    const transfers = [{ asset: ETH, sender: "0xAnn", recipient: TREASURY, amount: 9_000n, ...transfer }];
    return { state: "final", time: this.clock.now(), transfers, ...more };
  }

  put = (more: Partial<ScriptedTransaction> = {}, transfer = {}, hash?: string): string =>
    this.chain.put(this.transaction(more, transfer), hash);

  /** Creates a funded packet. */
  async active(more = {}): Promise<number> {
    const { packet_id } = (await this.create(more)).body;
    const { status } = await this.fund(packet_id, this.put());
    if (status !== 200) throw new Error(`not funded: ${status}`);
    return packet_id;
  }

  /** Advances the time and runs the sweep. */
  async wait(ms = 6_000): Promise<void> {
    this.clock.advance(ms);
    await sweepPackets(this.server.ctx);
  }

  /** Stops the server. Throws unless every unit is accounted for. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { problems } = await auditLedger(this.server.ctx.db);
    await this.server[Symbol.asyncDispose]();
    if (problems.length > 0) throw new Error(problems.join("; "));
  }
}
