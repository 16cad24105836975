import {
  createKeyPairFromBytes,
  getAddressFromPublicKey,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  signTransaction,
  type Transaction,
} from "@solana/kit";
import { type Outcome, type Payer, type SignedTransfer, type TransferOrder, TransferRefused } from "../chain.ts";
import { handOver } from "../rpc/broadcast-transaction.ts";
import { RpcFailure } from "../rpc/failure.ts";
import type { Read } from "../rpc/quorum.ts";
import { marketPrice } from "./accounts.ts";
import { freshLifetime, lapseOf } from "./lifetime.ts";
import { networkFee, payoutTransaction, readPayout } from "./message.ts";
import { blockOf, expectCluster, type SolanaNetwork, sight } from "./network.ts";
import { meaningOf, meaningOfError } from "./refusals.ts";
import { Hash, Simulation } from "./shapes.ts";

const U64_MAX = 2n ** 64n - 1n;

/** Returns the treasury's signer on Solana. @throws an Error if the bytes are no key pair */
export async function solanaPayer(network: SolanaNetwork, keyBytes: Uint8Array): Promise<Payer> {
  const keys = await createKeyPairFromBytes(keyBytes);
  const treasury = await getAddressFromPublicKey(keys.publicKey);

  async function sign({ asset, to, amount, feeMax }: TransferOrder): Promise<SignedTransfer> {
    if (amount > U64_MAX) throw new TransferRefused("insufficient_funds"); // nobody has that much
    const [lifetime, price] = await Promise.all([freshLifetime(network), marketPrice(network, treasury)]);
    const fee = networkFee(asset, price);
    if (feeMax !== undefined && fee > feeMax) throw new TransferRefused("fee_above_limit");
    const mark = network.clock.random(32);
    const transaction = await payoutTransaction({ asset, to, amount }, { treasury, price, mark, ...lifetime });
    await rehearse(network, transaction);
    const signed = await signTransaction([keys], transaction);
    return {
      bytes: getBase64EncodedWireTransaction(signed),
      hash: getSignatureFromTransaction(signed),
      nonce: null,
      fee,
      validUntil: lifetime.lastValidBlockHeight,
    };
  }

  return {
    address: treasury,
    nextNonce: async () => null,
    sign,
    broadcast: (signed) => broadcast(network, signed),
    outcome: (signed) => outcome(network, signed),
    async replaceByFee(signed, { feeMax } = {}) {
      if ((await outcome(network, signed)).state !== "expired") throw new TransferRefused("not_expired");
      const { asset, to, amount } = readPayout(signed.bytes, network.assets);
      return sign({ asset, to, amount, nonce: null, ...(feeMax === undefined ? {} : { feeMax }) });
    },
  };
}

/**
 * Simulates the transaction on the servers, unsigned: a server could send a signed one before it is stored.
 * @throws TransferRefused, chain_unavailable
 */
async function rehearse(network: SolanaNetwork, transaction: Transaction): Promise<void> {
  const bytes = getBase64EncodedWireTransaction(transaction);
  const options = { encoding: "base64", sigVerify: false, commitment: "confirmed" };
  const result = await network.quorum.agree(async (server, signal) => {
    await expectCluster(network, server, signal);
    const { err } = (await server.call(Simulation, "simulateTransaction", [bytes, options], signal)).value;
    if (err === null) return "fine";
    const reason = meaningOfError(err);
    if (reason === null) throw new RpcFailure("malformed");
    return reason;
  });
  if (result !== "fine") throw new TransferRefused(result);
}

async function broadcast(network: SolanaNetwork, { bytes, hash }: SignedTransfer): Promise<void> {
  const options = { encoding: "base64", preflightCommitment: "processed" };
  const send: Read<string> = (server, signal) => server.call(Hash, "sendTransaction", [bytes, options], signal);
  const refused = await handOver(network.quorum, send, meaningOf);
  if (refused === null) return;
  // A server simulates a transaction before it accepts it. If this transaction is already included, that simulation may
  // fail.
  if ((await sight(network, hash)).seen !== "nothing") return;
  throw new TransferRefused(refused);
}

const NOWHERE = { isFinal: false, block: null, feePaid: null } as const;

async function outcome(network: SolanaNetwork, { bytes, hash, validUntil }: SignedTransfer): Promise<Outcome> {
  if (validUntil === null) throw new TypeError("A Solana transfer must have an expiry height.");
  const { blockhash } = readPayout(bytes, network.assets);
  const found = await lapseOf(network, { signature: hash, blockhash, validUntil });
  switch (found.seen) {
    case "nothing":
      return { state: "unknown", ...NOWHERE };
    case "waiting":
      return { state: "pending", ...NOWHERE };
    case "lapsed":
      return { state: "expired", isFinal: true, block: null, feePaid: null };
    case "landed": {
      const { landed, isFinal } = found;
      const state = landed.succeeded ? (isFinal ? "final" : "confirming") : "failed";
      return { state, isFinal, block: blockOf(landed), feePaid: landed.cost };
    }
  }
}
