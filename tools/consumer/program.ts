// A user's program, which tools/published.packages.test.ts compiles against the types of the packed packages.
import { AgentSendBody } from "@parley/protocol/agents";
import { ERRORS, type ErrorCode } from "@parley/protocol/errors";
import { AgentClient, type ChatMessage, ParleyClient, ParleyError, type RealtimeState } from "@parley/sdk";
import { OverSpendingCap, type PaymentWallet, payAndFetch } from "@parley/sdk/payments";
import { PayThenProve } from "@parley/sdk/x402";

const client = new ParleyClient({ url: "http://127.0.0.1:3000" });
export const heard: ChatMessage[] = [];

export async function follow(): Promise<void> {
  using realtime = client.realtime();
  realtime.onState((state: RealtimeState) => console.log(state));
  const subscription = client.subscribe(realtime, {
    channel: "general",
    onEvent: (event) => {
      if (event.event === "message:new") heard.push(event.data.chat_message);
    },
  });
  for await (const message of client.messages.list({ channel_slug: "general" })) heard.push(message);
  subscription.close();
}

export async function answer(agent: AgentClient): Promise<void> {
  try {
    for await (const mention of agent.mentions()) await agent.reply(mention, mention.content.toUpperCase());
  } catch (error) {
    if (error instanceof ParleyError && error.is("rate_limited")) console.log(error.retryAfter);
    else throw error;
  }
}

export async function pay(wallet: PaymentWallet): Promise<number> {
  const cap = { chainId: 8453, tokenAddress: null, maxAmount: 10n };
  const response = await payAndFetch("http://127.0.0.1:3000/api/paid/report", wallet, cap);
  return response.status;
}

export const scheme = (wallet: PaymentWallet): string => new PayThenProve(wallet).scheme;
export const statusOf = (code: ErrorCode): number => ERRORS[code][0];
export const required: readonly string[] = AgentSendBody.required;
export const isTooExpensive = (error: unknown): error is OverSpendingCap => error instanceof OverSpendingCap;

// @ts-expect-error An agent needs a key, so these are not types that accept everything.
new AgentClient({ url: "http://127.0.0.1:3000", name: "Scout" });
