import { SupportedResponse } from "@parley/protocol/x402";
import { counted } from "../base/counted.ts";
import { systemClock } from "../clock.ts";
import type { Config } from "../config/config.ts";
import type { Db } from "../db/db.ts";
import { expectShape } from "../lookups/answers.ts";
import { fetchJson, LookupFailure } from "../lookups/fetch-json.ts";
import type { Finding } from "../module.ts";
import { countUnderWay } from "./payments.store.ts";
import { apiOf } from "./settle/facilitator.ts";
import { countUnsettled } from "./settle/settlements.store.ts";

const check = "facilitator";
const ASK_MS = 5_000;

/**
 * Checks that the x402 facilitator answers and settles on the chain of the settings. Returns nothing if none is set.
 */
export async function checkFacilitator(config: Config): Promise<Finding[]> {
  const api = apiOf(config);
  if (api === null) return [];
  const host = new URL(api.origin).host;
  const network = `eip155:${config.evmChainId}`;
  try {
    const options = { signal: AbortSignal.timeout(ASK_MS), clock: systemClock };
    const { body } = await fetchJson(api, { path: `${api.base}/supported` }, options);
    const { kinds } = expectShape(SupportedResponse, body);
    const settles = kinds.some(
      (kind) => kind.x402Version === 2 && kind.scheme === "exact" && [network, "eip155:*"].includes(kind.network),
    );
    const text = `${host} ${settles ? "supports" : "does not support"} the x402 scheme exact on ${network}`;
    if (settles) return [{ check, state: "ok", text }];
    return [{ check, state: "problem", text: `${text}; correct PARLEY_X402_FACILITATOR_URL or PARLEY_EVM_CHAIN_ID` }];
  } catch (error) {
    if (!(error instanceof LookupFailure)) throw error;
    const text = `${host} does not respond to /supported (${error.message}); check PARLEY_X402_FACILITATOR_URL and PARLEY_X402_FACILITATOR_AUTHORIZATION`;
    return [{ check, state: "advice", text }];
  }
}

/** Returns how many payments are under way, as unfinished work (`Module.openWork`). `now` is epoch milliseconds. */
export async function paymentsUnderWay(db: Db, now: number): Promise<string[]> {
  const count = (await countUnderWay(db, now)) + (await countUnsettled(db, now));
  return count === 0 ? [] : [`${counted(count, "payment is", "payments are")} under way`];
}
