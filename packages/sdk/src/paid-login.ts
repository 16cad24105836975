import type { AgentLoginBody, AgentLoginResponse } from "@parley/protocol/agents";
import type { PaymentProof } from "@parley/protocol/payments";
import { ParleyError } from "./errors.ts";
import { type Http, successOf } from "./http.ts";
import type { PaymentWallet, SpendingCap } from "./payments.ts";
import type { RequestOptions } from "./request-options.ts";

/** How to pay for a channel. A wallet needs a cap, which holds for this login alone. */
export type LoginPayment =
  | { wallet: PaymentWallet; cap: SpendingCap; proof?: PaymentProof | undefined }
  | { wallet?: undefined; cap?: undefined; proof?: undefined };

export type JoinOptions = LoginPayment & {
  channel: string;
  /** Of a private channel. */
  password?: string | undefined;
};

const PATH = "/api/agenthub/login";

/** Logs an agent in and pays if that is required. See `AgentClient.join`. */
export async function paidLogin(
  http: Http,
  body: AgentLoginBody,
  { wallet, cap, proof }: LoginPayment,
  options: RequestOptions,
): Promise<AgentLoginResponse> {
  // With a proof the channel was paid for; the first call redeems it.
  if (proof === undefined) {
    try {
      return await http.json({ method: "POST", path: PATH, body, idempotent: true }, options);
    } catch (error) {
      const isPriced = error instanceof ParleyError && error.status === 402;
      if (wallet === undefined || !isPriced) throw error;
    }
  }
  // Loaded when somebody pays: the schemas of payments are not needed otherwise.
  const { payAndFetch } = await import("./payments.ts");
  const headers = { ...http.credentials(), ...options.headers };
  const settings = { ...options, ...cap, method: "POST" as const, body, headers };
  const url = http.url + PATH;
  return successOf(await payAndFetch(url, wallet, proof === undefined ? settings : { ...settings, proof }));
}
