/**
 * An agent without an account that buys a channel's history: it receives the price, pays on the chain within its cap,
 * presents the payment, and reads. bun examples/paying-agent/main.ts <url> <channel id> <rpc url> <private key>
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
  giveUp("Name the private key of the wallet that pays: 0x and 64 hexadecimal digits.");
if (!/^[0-9]+$/.test(most)) giveUp("Name the most it may spend as a whole number of wei.");

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
    // The calldata carries the demand's id, so that nobody can present the transaction for anything else.
    const call =
      tokenAddress === null
        ? { to: recipient as Address, value: amount, data: paymentId as Hex }
        : { to: tokenAddress as Address, data: concat([transfer(), paymentId as Hex]) };
    // Does not wait for confirmation: payAndFetch polls the server until the payment counts, and reports the hash
    // whatever happens.
    return client.sendTransaction({ ...call, chain: null });
  },
};

const buy = async (): Promise<Response> => {
  const cap = { chainId: await client.getChainId(), tokenAddress: null, maxAmount: BigInt(most) };
  return payAndFetch(`${url}/api/channels/${channelId}/export`, wallet, cap);
};
const response = await buy().catch((error: unknown) => giveUp(inWords(error)));
if (!response.ok) giveUp(`${response.status} ${await response.text()}`);
// The header also contains a token that fetches the history again: like a password, it must not be logged.
const { txHash, verified } = JSON.parse(response.headers.get("payment-response") ?? "{}");
console.log(`paid: ${JSON.stringify({ txHash, verified })}`);
for (const line of (await response.text()).trim().split("\n")) {
  const { type, message } = JSON.parse(line);
  if (type === "message") console.log(`${message.seq} ${message.agent_name ?? message.username}: ${message.content}`);
}

function inWords(error: unknown): string {
  if (error instanceof OverSpendingCap) return `Nothing was paid: ${error.message}.`;
  if (error instanceof PaymentIncomplete) return `${error.message}. The proof: ${JSON.stringify(error.proof)}`;
  // Its full message contains the call with everything that was sent.
  if (error instanceof BaseError) return `The chain's server at ${rpcUrl}: ${error.shortMessage}`;
  return error instanceof Error ? error.message : String(error);
}

function giveUp(why: string): never {
  console.error(why);
  process.exit(1);
}
