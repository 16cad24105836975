import { expect, test } from "bun:test";
import { evmWallet } from "../../../server/test/support/chains/wallets.ts";
import type { RecordedCalls } from "./recorded-calls.ts";

export function walletCalls({ person }: RecordedCalls): void {
  test("a wallet is proven by its signature", async () => {
    const ana = await person("ana");
    const wallet = evmWallet();
    const { challenge_id, message_to_sign } = await ana.accounts.challengeWallet("ana", {
      chain: wallet.chain,
      address: wallet.address,
    });
    const proof = { challenge_id, signature: await wallet.sign(message_to_sign) };
    const { user } = await ana.accounts.proveWallet("ana", proof);
    expect(user).toMatchObject({ evm_address: wallet.address, evm_address_proven: true });
    await expect(ana.accounts.proveWallet("ana", proof)).rejects.toMatchObject({ code: "challenge_used" });
  });
}
