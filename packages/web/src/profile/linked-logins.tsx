import type { LinkedIdentity } from "@parley/protocol/identities";
import { type FormEvent, useCallback } from "react";
import { momentOf } from "../i18n/date-format.ts";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { useList } from "../session/use-list.ts";
import { useSite } from "../session/use-site.ts";
import { formValue } from "../ui/form-value.ts";
import { ListEnd } from "../ui/list-end.tsx";
import { Section } from "../ui/section.tsx";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";
import { CurrentPassword } from "./current-password.tsx";

/** The logins by the identity provider that are linked to the account; nothing if the site has no provider. */
export function LinkedLogins() {
  const provider = useSite()?.oidc_name ?? null;
  return provider === null ? null : <Logins provider={provider} />;
}

function Logins({ provider }: { provider: string }) {
  const parley = useParley();
  const { logins: texts } = useWindowTexts();
  const action = useAction();
  const { accounts } = parley.client;
  const load = useCallback(async () => ({ items: (await accounts.identities()).identities, next: null }), [accounts]);
  const list = useList<LinkedIdentity>(load);
  const add = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const current_password = formValue(event.currentTarget, "current") || undefined;
    await action.run(async () => {
      const { authorization_url } = await accounts.linkIdentity({ return_to: `/${location.hash}`, current_password });
      location.assign(authorization_url);
    });
  };
  const remove = async (form: HTMLFormElement | null, { identity_id, label }: LinkedIdentity) => {
    const current_password = (form !== null && formValue(form, "current")) || undefined;
    const question = { title: label ?? provider, text: texts.removeLoginSure, action: texts.removeLogin };
    if (!(await parley.confirm.ask(question))) return;
    if (await action.run(() => accounts.unlinkIdentity(identity_id, { current_password }))) list.reload();
  };
  return (
    <Section title={texts.logins}>
      <form className="stack" onSubmit={add}>
        <ul className="lines" aria-label={texts.logins}>
          {list.items?.map((identity) => (
            <li key={identity.identity_id}>
              <span>
                <bdi>{identity.label ?? provider}</bdi>
                <span className="muted">
                  {new URL(identity.issuer).host} · {momentOf(identity.created_at)}
                </span>
              </span>
              <button
                type="button"
                className="secondary danger"
                disabled={action.isBusy}
                aria-label={`${texts.removeLogin}: ${identity.label ?? provider}`}
                onClick={(event) => void remove(event.currentTarget.form, identity)}
              >
                {texts.removeLogin}
              </button>
            </li>
          ))}
        </ul>
        <ListEnd list={list} none={texts.noLogins} />
        <CurrentPassword action={action} />
        <ErrorLine text={action.error} />
        <button type="submit" className="secondary" disabled={action.isBusy}>
          {texts.addLogin(provider)}
        </button>
      </form>
    </Section>
  );
}
