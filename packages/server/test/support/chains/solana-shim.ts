import { type Address, address, getBase64Decoder } from "@solana/kit";
import { listenForCalls } from "./rpc-listener.ts";
import { ClusterRefusal, type Commitment, type LandedTransaction, SolanaCluster } from "./solana-cluster.ts";

interface Call {
  id: number;
  method: string;
  params?: unknown[];
}

type Method = (cluster: SolanaCluster, params: readonly unknown[]) => unknown;

const RANK: Readonly<Record<Commitment, number>> = { processed: 0, confirmed: 1, finalized: 2 };

/**
 * A JSON-RPC server in front of a cluster. It answers the methods that Parley and its tests call, as a validator does.
 */
export class SolanaShim implements AsyncDisposable {
  readonly cluster: SolanaCluster;
  readonly url: string;
  /** The methods that were called. */
  readonly called: string[] = [];
  readonly #server: Bun.Server<undefined>;

  constructor(cluster = new SolanaCluster()) {
    this.cluster = cluster;
    this.#server = listenForCalls<Call>((asked) => this.#answer(asked));
    this.url = `http://127.0.0.1:${this.#server.port}`;
  }

  #answer(asked: Call | Call[]): Response {
    return reply(Array.isArray(asked) ? asked.map((call) => this.#said(call)) : this.#said(asked));
  }

  #said({ id, method, params = [] }: Call): object {
    this.called.push(method);
    try {
      const act = METHODS[method];
      if (act === undefined) throw new ClusterRefusal(-32601, "Method not found");
      return { jsonrpc: "2.0", id, result: act(this.cluster, params) };
    } catch (error) {
      if (!(error instanceof ClusterRefusal)) throw error;
      const data = error.err === null ? {} : { data: { err: error.err, logs: [] } };
      return { jsonrpc: "2.0", id, error: { code: error.code, message: error.message, ...data } };
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
  }
}

/** Responds with amounts as JSON numbers of any size, as validators do. */
function reply(body: object): Response {
  const text = JSON.stringify(body, (_, value: unknown) =>
    typeof value === "bigint" ? (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(String(value)) : value,
  );
  return new Response(text, { headers: { "content-type": "application/json" } });
}

/** Wraps the state at one slot. */
const at = (cluster: SolanaCluster, options: unknown, value: unknown) => ({
  context: { slot: cluster.head(commitmentOf(options)).slot, apiVersion: "3.0.0" },
  value,
});

const METHODS: Readonly<Record<string, Method>> = {
  getGenesisHash: (cluster) => cluster.genesisHash,
  getSlot: (cluster, [options]) => cluster.head(commitmentOf(options)).slot,
  getBlockHeight: (cluster, [options]) => cluster.head(commitmentOf(options)).height,
  getEpochInfo(cluster, [options]) {
    const { slot, height } = cluster.head(commitmentOf(options));
    return { absoluteSlot: slot, blockHeight: height, epoch: 0, slotIndex: slot, slotsInEpoch: 432_000 };
  },
  getLatestBlockhash(cluster, [options]) {
    const { hash, height } = cluster.head(commitmentOf(options));
    return at(cluster, options, { blockhash: hash, lastValidBlockHeight: height + 150 });
  },
  isBlockhashValid: (cluster, [hash, options]) =>
    at(cluster, options, cluster.isValid(text(hash), commitmentOf(options))),
  getFirstAvailableBlock: (cluster) => cluster.blocks[cluster.firstKept]?.slot,
  getBlock(cluster, [slot]) {
    const block = cluster.blocks.find((one) => one.slot === slot && one.height >= cluster.firstKept);
    if (block === undefined) throw new ClusterRefusal(-32007, `Slot ${slot} was skipped`);
    return { blockhash: block.hash, blockHeight: block.height, blockTime: block.time, parentSlot: block.slot - 1 };
  },
  getBalance: (cluster, [owner, options]) => at(cluster, options, cluster.svm.getBalance(address(text(owner))) ?? 0n),
  getAccountInfo: (cluster, [account, options]) => at(cluster, options, accountInfo(cluster, address(text(account)))),
  getMinimumBalanceForRentExemption: (cluster, [bytes]) =>
    cluster.svm.minimumBalanceForRentExemption(BigInt(Number(bytes))),
  getRecentPrioritizationFees: (cluster) =>
    cluster.prices.map((prioritizationFee, slot) => ({ slot, prioritizationFee })),
  simulateTransaction(cluster, [bytes, options]) {
    const sigVerify = (options as { sigVerify?: boolean } | undefined)?.sigVerify ?? false;
    const error = cluster.simulate(text(bytes), { sigVerify });
    return at(cluster, options, { err: error?.err ?? null, logs: [], unitsConsumed: 0 });
  },
  sendTransaction: (cluster, [bytes]) => cluster.send(text(bytes)),
  getSignatureStatuses: (cluster, [signatures]) =>
    at(cluster, { commitment: "processed" }, statuses(cluster, signatures as readonly string[])),
  getTransaction(cluster, [signature, options]) {
    const landed = cluster.find(text(signature));
    const isThere = landed !== undefined && RANK[cluster.commitmentOf(landed)] >= RANK[commitmentOf(options)];
    return isThere ? transactionAnswer(landed) : null;
  },
};

const commitmentOf = (options: unknown): Commitment =>
  (options as { commitment?: Commitment } | undefined)?.commitment ?? "finalized";

function text(param: unknown): string {
  if (typeof param !== "string") throw new ClusterRefusal(-32602, "Invalid params");
  return param;
}

function accountInfo(cluster: SolanaCluster, of: Address): unknown {
  const account = cluster.svm.getAccount(of);
  if (!account.exists) return null;
  const { lamports, programAddress: owner, data, executable, space } = account;
  return {
    lamports,
    owner,
    data: [getBase64Decoder().decode(data), "base64"],
    executable,
    space,
    rentEpoch: 2n ** 64n - 1n,
  };
}

function statuses(cluster: SolanaCluster, signatures: readonly string[]): unknown {
  return signatures.map((signature) => {
    const landed = cluster.find(signature);
    if (landed === undefined) return null;
    const err = landed.error?.err ?? null;
    const status = err === null ? { Ok: null } : { Err: err };
    return {
      slot: landed.block.slot,
      confirmations: null,
      err,
      status,
      confirmationStatus: cluster.commitmentOf(landed),
    };
  });
}

function transactionAnswer({ block, bytes, error, fee, before, after }: LandedTransaction): unknown {
  const err = error?.err ?? null;
  return {
    slot: block.slot,
    blockTime: block.time,
    transaction: [bytes, "base64"],
    version: 0,
    meta: {
      err,
      status: err === null ? { Ok: null } : { Err: err },
      fee,
      preBalances: before.lamports,
      postBalances: after.lamports,
      preTokenBalances: before.tokens,
      postTokenBalances: after.tokens,
      innerInstructions: [],
      loadedAddresses: { writable: [], readonly: [] },
      logMessages: [],
      rewards: [],
    },
  };
}
