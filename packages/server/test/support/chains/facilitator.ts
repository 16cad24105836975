import { x402Facilitator } from "@x402/core/facilitator";
import type { PaymentPayload, PaymentRequirements } from "@x402/core/types";
import { toFacilitatorEvmSigner } from "@x402/evm";
import { ExactEvmScheme } from "@x402/evm/exact/facilitator";
import { createWalletClient, http, publicActions } from "viem";
import { ANVIL_CHAIN_ID, type Anvil, accountOf } from "./anvil.ts";

/** The account that pays the gas: anvil's account 7. */
const RELAYER = 7;

interface Asked {
  paymentPayload: PaymentPayload;
  paymentRequirements: PaymentRequirements;
}

/** Replaces its normal behaviour; `honest` does what an honest facilitator does and returns its response. */
export type Answering = (honest: () => Promise<object>, asked: Asked) => Response | Promise<Response>;

/**
 * A facilitator of x402 version 2, built from the official packages. It is honest unless a test replaces its behaviour.
 */
export class Facilitator implements AsyncDisposable {
  readonly url: string;
  verify: Answering = async (honest) => Response.json(await honest());
  settle: Answering = async (honest) => Response.json(await honest());
  /** The requested paths, each with the `Authorization` header of its request. */
  readonly asked: { path: string; authorization: string | null }[] = [];
  readonly #server: Bun.Server<undefined>;

  constructor(anvil: Anvil) {
    const { chain, transport } = { chain: anvil.client.chain, transport: http(anvil.url) };
    const client = createWalletClient({ account: accountOf(RELAYER), chain, transport, pollingInterval: 20 });
    const signer = toFacilitatorEvmSigner({
      ...client.extend(publicActions),
      address: accountOf(RELAYER).address,
    } as unknown as Parameters<typeof toFacilitatorEvmSigner>[0]);
    const facilitator = new x402Facilitator().register(`eip155:${ANVIL_CHAIN_ID}`, new ExactEvmScheme(signer));
    this.#server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      idleTimeout: 0,
      fetch: async (request) => {
        const path = new URL(request.url).pathname;
        this.asked.push({ path, authorization: request.headers.get("authorization") });
        if (path === "/x402/supported") return Response.json(facilitator.getSupported());
        const asked = (await request.json()) as Asked;
        const { paymentPayload, paymentRequirements } = asked;
        if (path === "/x402/verify") {
          return this.verify(() => facilitator.verify(paymentPayload, paymentRequirements), asked);
        }
        if (path === "/x402/settle") {
          return this.settle(() => facilitator.settle(paymentPayload, paymentRequirements), asked);
        }
        return new Response(null, { status: 404 });
      },
    });
    this.url = `http://127.0.0.1:${this.#server.port}/x402`;
  }

  /** The number of requests to settle. */
  get settled(): number {
    return this.asked.filter(({ path }) => path === "/x402/settle").length;
  }

  /** Makes it honest again. */
  reset(): void {
    this.verify = this.settle = async (honest) => Response.json(await honest());
    this.asked.length = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
  }
}
