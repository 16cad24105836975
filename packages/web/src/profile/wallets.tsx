import type { WalletChallengeResponse } from "@parley/protocol/wallets";
import { type FormEvent, useState } from "react";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { Field } from "../ui/field.tsx";
import { formValue } from "../ui/form-value.ts";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";
import { accountOf, type EvmWallet, evmWallet, signText } from "../wallets/evm-wallet.ts";
import { explainWalletError } from "../wallets/wallet-texts.ts";
import { CurrentPassword } from "./current-password.tsx";
import type { ProfilePartProps } from "./own-user.ts";

/** The user's payout addresses on chains. */
export function Wallets({ user, onUser }: ProfilePartProps) {
  const parley = useParley();
  const { app } = useTexts();
  const windowTexts = useWindowTexts();
  const { profile: texts } = windowTexts;
  const action = useAction();
  const [current, setCurrent] = useState("");
  const wallet = evmWallet();
  const { accounts } = parley.client;
  /** Fills in, saves and proves the address in one step. */
  const connect = (wallet: EvmWallet) =>
    action.run(async () => {
      const explain = (error: unknown) => Promise.reject(explainWalletError(windowTexts, error));
      const address = await accountOf(wallet).catch(explain);
      const { challenge_id, message_to_sign } = await accounts.challengeWallet(user.username, {
        chain: "evm",
        address,
      });
      const signature = await signText(wallet, address, message_to_sign).catch(explain);
      const body = { challenge_id, signature, current_password: current || undefined };
      onUser((await accounts.proveWallet(user.username, body)).user);
      parley.notices.say(texts.connected);
    });
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const isDone = await action.run(async () => {
      const answer = await parley.client.accounts.updateUser(user.username, {
        evm_address: formValue(form, "evm").trim() || null,
        sol_address: formValue(form, "solana").trim() || null,
        current_password: current || undefined,
      });
      onUser(answer.user);
    });
    if (isDone) parley.notices.say(texts.saved);
  };
  const plain = { autoComplete: "off", spellCheck: false, autoCapitalize: "none" };
  const state = (isProven: boolean | null) => (isProven === true ? texts.proven : texts.unproven);
  return (
    <>
      <form className="stack" onSubmit={submit}>
        <p className="hint">{texts.walletsHint}</p>
        <Field
          // The key resets the field when the address changes elsewhere.
          key={user.evm_address}
          label={texts.evm}
          name="evm"
          defaultValue={user.evm_address ?? ""}
          {...plain}
          {...(user.evm_address === null ? {} : { hint: state(user.evm_address_proven) })}
        />
        <Field
          label={texts.solana}
          name="solana"
          defaultValue={user.sol_address ?? ""}
          {...plain}
          {...(user.sol_address === null ? {} : { hint: state(user.sol_address_proven) })}
        />
        <CurrentPassword action={action} value={current} onValue={setCurrent} />
        <ErrorLine text={action.error} />
        <div className="row">
          <button type="submit" disabled={action.isBusy}>
            {app.save}
          </button>
          {wallet !== null && (
            <button type="button" className="secondary" disabled={action.isBusy} onClick={() => void connect(wallet)}>
              {texts.connect}
            </button>
          )}
        </div>
      </form>
      {user.evm_address !== null && user.evm_address_proven !== true && (
        <Proof chain="evm" address={user.evm_address} label={texts.evm} user={user} onUser={onUser} />
      )}
      {user.sol_address !== null && user.sol_address_proven !== true && (
        <Proof chain="solana" address={user.sol_address} label={texts.solana} user={user} onUser={onUser} />
      )}
    </>
  );
}

type ProofProps = ProfilePartProps & { chain: "evm" | "solana"; address: string; label: string };

/** Proves by a signature that the user controls the wallet. */
function Proof({ chain, address, label, user, onUser }: ProofProps) {
  const parley = useParley();
  const windowTexts = useWindowTexts();
  const { profile: texts } = windowTexts;
  const action = useAction();
  const [challenge, setChallenge] = useState<WalletChallengeResponse | null>(null);
  const wallet = chain === "evm" ? evmWallet() : null;
  const { accounts } = parley.client;
  const begin = () =>
    action.run(async () => setChallenge(await accounts.challengeWallet(user.username, { chain, address })));
  const send = (form: HTMLFormElement, sign: (text: string) => Promise<string>) =>
    action.run(async () => {
      if (challenge === null) return;
      const current_password = formValue(form, "current") || undefined;
      const signature = await sign(challenge.message_to_sign);
      const answer = await accounts.proveWallet(user.username, {
        challenge_id: challenge.challenge_id,
        signature,
        current_password,
      });
      onUser(answer.user);
    });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    void send(form, async (text) => {
      if (wallet === null) return formValue(form, "signature").trim();
      return signText(wallet, address, text).catch((error: unknown) =>
        Promise.reject(explainWalletError(windowTexts, error)),
      );
    });
  };
  return (
    <form className="stack" onSubmit={submit}>
      {challenge === null ? (
        <button type="button" className="secondary" disabled={action.isBusy} onClick={() => void begin()}>
          {texts.prove}: {label}
        </button>
      ) : (
        <>
          {wallet === null && (
            <>
              <p className="hint">{texts.signThis}</p>
              <pre className="code">{challenge.message_to_sign}</pre>
              <Field label={texts.signature} name="signature" autoComplete="off" spellCheck={false} required />
            </>
          )}
          <CurrentPassword action={action} />
          <button type="submit" disabled={action.isBusy}>
            {wallet === null ? texts.send : texts.sign}
          </button>
        </>
      )}
      <ErrorLine text={action.error} />
    </form>
  );
}
