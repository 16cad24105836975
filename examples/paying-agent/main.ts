/**
 * An agent without an account that buys a channel's history: it receives the price, pays on the chain within its
 * spending cap, presents the payment, and reads the history. bun examples/paying-agent/main.ts <url> <channel id> <rpc url> <private key>
 * <spending cap in wei>
 */
import { OverSpendingCap, PaymentIncomplete, type PaymentWallet, payAndFetch } from "@parley/sdk/payments";
import {
  type Address,
  BaseError,
  concat,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  parseAbi,
  publicActions,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";

const [, , url = "http://127.0.0.1:3000", channelId = "1", rpcUrl = "http://127.0.0.1:8545", key = "", most = "0"] =
  process.argv;
if (!/^0x[0-9a-f]{64}$/i.test(key))
  exitWith("Pass the private key of the wallet that pays: 0x and 64 hexadecimal digits.");
if (!/^[0-9]+$/.test(most)) exitWith("Pass the spending cap as a whole number of wei.");

const account = privateKeyToAccount(key as Hex);
const client = createWalletClient({ account, transport: http(rpcUrl) }).extend(publicActions);

const wallet: PaymentWallet = {
  address: account.address,
  sign: (message) => client.signMessage({ message }),
  async pay({ recipient, amount, tokenAddress, currency, paymentId }) {
    console.log(`paying ${amount} ${currency} to ${recipient}`);
    const transfer = () =>
      encodeFunctionData({
        abi: parseAbi(["function transfer(address to, uint256 amount) returns (bool)"]),
        args: [recipient as Address, amount],
      });
    // The calldata contains the payment id, so that the transaction can pay for nothing else.
    const call =
      tokenAddress === null
        ? { to: recipient as Address, value: amount, data: paymentId as Hex }
        : { to: tokenAddress as Address, data: concat([transfer(), paymentId as Hex]) };
    // Does not wait for confirmation: payAndFetch polls the server until it accepts the payment, and always reports
    // the hash.
    return client.sendTransaction({ ...call, chain: null });
  },
};

const buy = async (): Promise<Response> => {
  const cap = { chainId: await client.getChainId(), tokenAddress: null, maxAmount: BigInt(most) };
  return payAndFetch(`${url}/api/channels/${channelId}/export`, wallet, cap);
};
const response = await buy().catch((error: unknown) => exitWith(messageOf(error)));
if (!response.ok) exitWith(`${response.status} ${await response.text()}`);
// The header also contains a token that fetches the history again: like a password, it must not be logged.
const { txHash, verified } = JSON.parse(response.headers.get("payment-response") ?? "{}");
console.log(`paid: ${JSON.stringify({ txHash, verified })}`);
for (const line of (await response.text()).trim().split("\n")) {
  const { type, message } = JSON.parse(line);
  if (type === "message") console.log(`${message.seq} ${message.agent_name ?? message.username}: ${message.content}`);
}

function messageOf(error: unknown): string {
  if (error instanceof OverSpendingCap) return `Nothing was paid: ${error.message}.`;
  if (error instanceof PaymentIncomplete) return `${error.message}. The proof: ${JSON.stringify(error.proof)}`;
  // The full message contains the whole request.
  if (error instanceof BaseError) return `The RPC server at ${rpcUrl}: ${error.shortMessage}`;
  return error instanceof Error ? error.message : String(error);
}

function exitWith(why: string): never {
  console.error(why);
  process.exit(1);
}
