import { ParleyError } from "@parley/sdk";
import { errorDetail } from "../i18n/error-message.ts";
import type { WindowTexts } from "../i18n/texts.ts";
import { UserFacingError } from "../i18n/user-facing-error.ts";

/** Describes why a transaction does not fund a packet. Falls back to the code for problems a newer server reports. */
export function problemText({ packets: { problems } }: WindowTexts, problem: string): string {
  const words: Readonly<Record<string, string>> = problems;
  return words[problem] ?? `${problems.other}: ${problem}`;
}

/**
 * Converts refusals whose details say more than their text into words; returns other errors unchanged. `amount` formats
 * an amount of the packet's coin.
 */
export function explainPacketError(texts: WindowTexts, error: unknown, amount: (smallest: string) => string): unknown {
  if (!(error instanceof ParleyError)) return error;
  if (error.code === "invalid_amount") return new UserFacingError(texts.packets.tooLittle);
  const [problem, share, total] = ["problem", "min_share", "min_total"].map((name) => errorDetail(error, name));
  if (error.code === "funding_mismatch" && typeof problem === "string")
    return new UserFacingError(problemText(texts, problem));
  if (error.code === "share_too_small" && typeof total === "string") {
    return new UserFacingError(texts.packets.tooSmall(amount(String(share)), amount(total)));
  }
  return error;
}
