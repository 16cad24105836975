import type { ChainRecord } from "@parley/protocol/chains";
import type { Price } from "@parley/protocol/price";
import type { WindowTexts } from "../i18n/texts.ts";
import { UserFacingError } from "../i18n/user-facing-error.ts";
import { WalletError } from "./evm-wallet.ts";
import { formatUnits } from "./units.ts";

/** Returns the display name of a chain. */
export function chainName({ money }: WindowTexts, chainId: number): string {
  const names: Readonly<Record<string, string | undefined>> = money.chainNames;
  return names[chainId] ?? money.chain(chainId);
}

/** Returns `1.5 USDC`; for unconfigured assets, whose decimals are unknown, the amount in the smallest unit. */
export function priceText(
  texts: WindowTexts,
  { amount, currency, chain_id }: Price,
  chains: readonly ChainRecord[],
): string {
  const chain = chains.find((each) => each.chain_id === chain_id);
  const asset = chain?.assets.find((each) => each.currency === currency);
  return asset === undefined
    ? texts.money.place.unknown(amount, currency)
    : `${formatUnits(amount, asset.decimals)} ${currency}`;
}

/** Translates a wallet's failure for the user; returns other errors unchanged. */
export function explainWalletError({ money }: WindowTexts, error: unknown): unknown {
  if (!(error instanceof WalletError)) return error;
  return new UserFacingError(
    error.problem === "other" ? money.wallet.other(error.message) : money.wallet[error.problem],
  );
}
