import type { AccountClaimResponse } from "@parley/protocol/imports";
import { Imports } from "@parley/sdk/groups";
import { type FormEvent, useEffect, useState } from "react";
import { useImportTexts } from "../i18n/hooks/use-import-texts.ts";
import { useLoginTexts } from "../i18n/hooks/use-login-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { formValue } from "../ui/form-value.ts";
import { ErrorLine, Submit } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";

/** Shows the holder of a link which account it claims, and asks for a password or a login by the provider. */
export function ClaimAccountDialog({ token, onClose }: { token: string; onClose(): void }) {
  const parley = useParley();
  const { app } = useTexts();
  const { claim: texts } = useImportTexts();
  const loading = useAction();
  const [account, setAccount] = useState<AccountClaimResponse | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `loading` is new in each render.
  useEffect(() => {
    void loading.run(async () => setAccount(await parley.client.group(Imports).accountOfLink(token)));
  }, [parley, token]);
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <div className="stack">
        {account === null ? (
          <>
            {loading.isBusy && <p className="hint">{app.loading}</p>}
            <ErrorLine text={loading.error} />
          </>
        ) : (
          <>
            <p className="hint">{texts.hint}</p>
            <Account account={account} />
            <WaysIn token={token} account={account} onClose={onClose} />
          </>
        )}
      </div>
    </Dialog>
  );
}

/** The names of the account and of its channels. */
function Account({ account }: { account: AccountClaimResponse }) {
  const { claim: texts } = useImportTexts();
  const { username, display_name, channels, channel_count } = account;
  const more = channel_count - channels.length;
  return (
    <dl className="claimed-account">
      <dt>{texts.account}</dt>
      <dd>
        <strong>{display_name ?? username}</strong>
        {display_name !== null && <span className="muted"> {username}</span>}
      </dd>
      {channel_count > 0 && (
        <>
          <dt>{texts.channels}</dt>
          <dd>
            <ul>
              {channels.map(({ slug, name }) => (
                <li key={slug}>#{name}</li>
              ))}
              {more > 0 && <li className="muted">{texts.more(more)}</li>}
            </ul>
          </dd>
        </>
      )}
    </dl>
  );
}

function WaysIn({ token, account, onClose }: { token: string; account: AccountClaimResponse; onClose(): void }) {
  const parley = useParley();
  const logins = useLoginTexts();
  const texts = useTexts();
  const { claim } = useImportTexts();
  const action = useAction();
  const { password_login, single_sign_on } = account;
  const imports = parley.client.group(Imports);
  const signOn = () =>
    action.run(async () => {
      const { authorization_url } = await imports.claimBySignOn(token);
      location.assign(authorization_url);
    });
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const password = formValue(event.currentTarget, "password");
    if (!(await action.run(() => imports.claimAccount({ token, password })))) return;
    parley.changeUser();
    onClose();
  };
  if (!password_login && single_sign_on === null) return <p>{claim.noWay}</p>;
  return (
    <>
      {single_sign_on !== null && (
        <button type="button" disabled={action.isBusy} onClick={() => void signOn()}>
          {logins.continueWith(single_sign_on)}
        </button>
      )}
      {single_sign_on !== null && password_login && <p className="hint">{claim.orPassword}</p>}
      {password_login ? (
        <form className="stack" onSubmit={submit}>
          {/* Password managers store the password under this name. */}
          <input type="hidden" name="username" autoComplete="username" value={account.username} />
          <Field
            label={claim.password}
            name="password"
            type="password"
            autoComplete="new-password"
            maxLength={128}
            hint={texts.account.passwordHint}
            required
          />
          <Submit action={action}>{claim.submit}</Submit>
        </form>
      ) : (
        <ErrorLine text={action.error} />
      )}
    </>
  );
}
