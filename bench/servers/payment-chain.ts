import { type Hex, keccak256, toHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";

export const CHAIN_ID = 31_337;
export const RECIPIENT = "0x23618e81E3f5cdF7f54C3d65f7FBc0aBf5B21E8f";
export const PRICE = 1_000_000n;

const HEAD = 1_000;
const BLOCK_HASH: Hex = `0x${"ab".repeat(32)}`;
/** The block of the payments, as a quantity of the chain. */
export const PAID_BLOCK = toHex(HEAD);
const payer = privateKeyToAccount(`0x${"11".repeat(32)}`);

interface RpcCall {
  id: number;
  method: string;
  params: string[];
}

/**
 * The part of an EVM chain that a server queries for payments: signed transfers, all in one block with enough
 * confirmations. It responds at once, so that only the server's own work is measured.
 */
export class PaymentChain implements AsyncDisposable {
  readonly url: string;
  /** Numbers of calls and of HTTP requests; a request can contain several calls. */
  calls = 0;
  requests = 0;
  readonly #transactions = new Map<string, object>();
  readonly #server: Bun.Server<undefined>;

  constructor() {
    this.#server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => this.#answer(request) });
    this.url = `http://127.0.0.1:${this.#server.port}`;
  }

  /** Adds a payment of the price; returns its hash. */
  async pay(): Promise<Hex> {
    const nonce = this.#transactions.size;
    const fees = { maxFeePerGas: 2n, maxPriorityFeePerGas: 1n, gas: 21_000n };
    const serialized = await payer.signTransaction({
      ...{ ...fees, chainId: CHAIN_ID, nonce, to: RECIPIENT, value: PRICE, type: "eip1559" },
    });
    const hash = keccak256(serialized);
    const { parseTransaction } = await import("viem");
    const { r, s, yParity } = parseTransaction(serialized);
    this.#transactions.set(hash, {
      ...{
        hash,
        nonce: toHex(nonce),
        from: payer.address,
        to: RECIPIENT,
        value: toHex(PRICE),
        input: "0x",
        type: "0x2",
      },
      ...{ chainId: toHex(CHAIN_ID), accessList: [], gas: toHex(fees.gas), gasPrice: "0x2", transactionIndex: "0x0" },
      ...{
        maxFeePerGas: "0x2",
        maxPriorityFeePerGas: "0x1",
        r,
        s,
        yParity: toHex(yParity ?? 0),
        v: toHex(yParity ?? 0),
      },
      ...{ blockHash: BLOCK_HASH, blockNumber: toHex(HEAD) },
    });
    return hash;
  }

  async #answer(request: Request): Promise<Response> {
    this.requests += 1;
    const body = (await request.json()) as RpcCall | RpcCall[];
    return Response.json(Array.isArray(body) ? body.map((call) => this.#response(call)) : this.#response(body));
  }

  #response({ id, method, params }: RpcCall): object {
    this.calls += 1;
    return { jsonrpc: "2.0", id, result: this.#result(method, params[0] ?? "") };
  }

  #result(method: string, hash: string): unknown {
    const transaction = this.#transactions.get(hash) ?? null;
    switch (method) {
      case "eth_chainId":
        return toHex(CHAIN_ID);
      case "eth_blockNumber":
        return toHex(HEAD + 5);
      case "eth_getBlockByNumber":
        return { hash: BLOCK_HASH, number: toHex(HEAD), timestamp: toHex(Math.floor(Date.now() / 1000)) };
      case "eth_getTransactionByHash":
        return transaction;
      case "eth_getTransactionReceipt":
        return transaction === null
          ? null
          : {
              ...{ transactionHash: hash, blockHash: BLOCK_HASH, blockNumber: toHex(HEAD), status: "0x1" },
              ...{ from: payer.address, gasUsed: "0x5208", effectiveGasPrice: "0x2", logs: [] },
            };
      default:
        return null;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
  }
}
