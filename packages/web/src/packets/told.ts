import { ParleyError } from "@parley/sdk/errors";
import { Told } from "../app/told.ts";
import { detailOf } from "../reason.ts";
import type { WindowTexts } from "../texts/window-texts.ts";

/** Why a transaction does not fund a packet. A newer server may know problems this page has no words for. */
export function problemText({ packets: { problems } }: WindowTexts, problem: string): string {
  const words: Readonly<Record<string, string>> = problems;
  return words[problem] ?? `${problems.other}: ${problem}`;
}

/** A refusal whose details say more than its text, in words; others as they are. `amount` writes one of the packet's coin. */
export function packetTold(texts: WindowTexts, error: unknown, amount: (smallest: string) => string): unknown {
  if (!(error instanceof ParleyError)) return error;
  if (error.code === "invalid_amount") return new Told(texts.packets.tooLittle);
  const [problem, share, total] = ["problem", "min_share", "min_total"].map((name) => detailOf(error, name));
  if (error.code === "funding_mismatch" && typeof problem === "string") return new Told(problemText(texts, problem));
  if (error.code === "share_too_small" && typeof total === "string") {
    return new Told(texts.packets.tooSmall(amount(String(share)), amount(total)));
  }
  return error;
}
