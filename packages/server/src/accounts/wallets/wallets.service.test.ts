import { expect, test } from "bun:test";
import { evmWallet, solanaWallet, type TestWallet } from "../../../test/support/chains/wallets.ts";
import { stillClock } from "../../../test/support/clock.ts";
import { testContext } from "../../../test/support/context.ts";
import { eachDatabase, type OpenFresh } from "../../../test/support/databases.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { register } from "../accounts.service.ts";
import { readUser, updateUser } from "../profiles/profiles.service.ts";
import { challengeWallet, provenUser, proveWallet } from "./wallets.service.ts";

const KINDS = [
  ["evm", evmWallet],
  ["solana", solanaWallet],
] as const;
const origin = "https://chat.example.org";
const codeOf = (act: Promise<unknown>): Promise<unknown> =>
  act.then(() => "none").catch((error) => error.code ?? error);

async function start(open: OpenFresh) {
  const clock = stillClock();
  const database = await open(clock);
  const ctx = testContext(database, { clock });
  const signUp = async (username: string): Promise<UserIdentity> =>
    (await register(ctx, { username, password: "correct horse battery", address: "192.0.2.1", userAgent: null }))
      .identity;
  const ask = (who: UserIdentity, { chain, address }: TestWallet) =>
    challengeWallet(ctx, who, who.username, { chain, address, origin });
  const prove = async (who: UserIdentity, wallet: TestWallet) => {
    const { challenge_id, message_to_sign } = await ask(who, wallet);
    return proveWallet(ctx, who, who.username, { challenge_id, signature: await wallet.sign(message_to_sign) });
  };
  return { ctx, clock, signUp, ask, prove, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
}

eachDatabase((_, open) => {
  test.each(KINDS)("a signature proves a wallet, and the profile shows it (%s)", async (_, make) => {
    await using server = await start(open);
    const { ctx, signUp, prove } = server;
    const [ann, wallet] = [await signUp("ann"), make()];
    const isEvm = wallet.chain === "evm";
    expect(await provenUser(ctx, wallet.chain, wallet.address)).toBeNull();
    expect(await prove(ann, wallet)).toMatchObject({
      evm_address: isEvm ? wallet.address : null,
      sol_address: isEvm ? null : wallet.address,
      evm_address_proven: isEvm,
      sol_address_proven: !isEvm,
    });
    expect(await provenUser(ctx, wallet.chain, wallet.address)).toBe(ann.userId);
  });

  test("changing or clearing the address removes the proof, sending the same address again keeps it", async () => {
    await using server = await start(open);
    const { ctx, signUp, prove } = server;
    const [ann, wallet, other] = [await signUp("ann"), evmWallet(), evmWallet()];
    await prove(ann, wallet);
    const put = async (evm_address: string | null) =>
      (await updateUser(ctx, ann, "ann", { evm_address })).evm_address_proven;
    expect(await put(wallet.address.toLowerCase())).toBe(true);
    expect((await updateUser(ctx, ann, "ann", { email: "ann@example.org" })).evm_address_proven).toBe(true);
    expect(await put(other.address)).toBe(false);
    expect(await put(wallet.address)).toBe(false);
    await prove(ann, wallet);
    expect(await put(null)).toBe(false);
    expect(await provenUser(ctx, "evm", wallet.address)).toBeNull();
  });

  test("a wallet that two accounts prove belongs to the last one", async () => {
    await using server = await start(open);
    const { ctx, signUp, prove } = server;
    const [ann, bob, wallet] = [await signUp("ann"), await signUp("bob"), evmWallet()];
    await prove(ann, wallet);
    await prove(bob, wallet);
    expect(await provenUser(ctx, "evm", wallet.address)).toBe(bob.userId);
    expect(await readUser(ctx, ann, "ann")).toMatchObject({ evm_address: wallet.address, evm_address_proven: false });
    await Promise.all([prove(ann, wallet), prove(bob, wallet)]);
    const proven = [await readUser(ctx, ann, "ann"), await readUser(ctx, bob, "bob")].filter(
      (u) => u.evm_address_proven,
    );
    expect(proven).toHaveLength(1);
  });

  test("a challenge can be used once, even concurrently, and expires after ten minutes", async () => {
    await using server = await start(open);
    const { ctx, clock, signUp, ask } = server;
    const [ann, wallet] = [await signUp("ann"), evmWallet()];
    const { challenge_id, message_to_sign } = await ask(ann, wallet);
    const body = { challenge_id, signature: await wallet.sign(message_to_sign) };
    const proofs = Array.from({ length: 5 }, () => codeOf(proveWallet(ctx, ann, "ann", body)));
    expect((await Promise.all(proofs)).toSorted()).toEqual([...Array(4).fill("challenge_used"), "none"]);
    expect(await codeOf(proveWallet(ctx, ann, "ann", body))).toBe("challenge_used");
    const late = await ask(ann, wallet);
    const signature = await wallet.sign(late.message_to_sign);
    clock.advance(600_000);
    expect(await codeOf(proveWallet(ctx, ann, "ann", { challenge_id: late.challenge_id, signature }))).toBe(
      "challenge_expired",
    );
  });

  test("expired challenges are removed a day later", async () => {
    await using server = await start(open);
    const { ctx, clock, signUp, ask } = server;
    const [ann, wallet] = [await signUp("ann"), evmWallet()];
    await ask(ann, wallet);
    clock.advance(86_400_000 + 600_001);
    await ask(ann, wallet);
    expect(await ctx.db.selectFrom("wallet_challenges").select("id").execute()).toHaveLength(1);
  });
});
