import { INVITATION_USES_MAX, type Invitation } from "@parley/protocol/invitations";
import { type FormEvent, useCallback } from "react";
import { momentOf } from "../i18n/date-format.ts";
import { useInvitationTexts } from "../i18n/hooks/use-invitation-texts.ts";
import { CopyField } from "../session/copy-field.tsx";
import { useParley } from "../session/parley-context.ts";
import { useList } from "../session/use-list.ts";
import { invitationLink } from "../state/invitation.ts";
import { Field } from "../ui/field.tsx";
import { formValue } from "../ui/form-value.ts";
import { ListEnd } from "../ui/list-end.tsx";
import { Select } from "../ui/select.tsx";
import { ErrorLine, Submit } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";

/** Makes, shows and revokes the user's invitations. `slug`: the channel that their links lead to. */
export function OwnInvitations({ slug }: { slug: string | null }) {
  const { client } = useParley();
  const texts = useInvitationTexts();
  const action = useAction();
  const { accounts } = client;
  const load = useCallback(
    async (offset: number | undefined) => {
      const { invitations, next_offset } = await accounts.invitations({ offset });
      return { items: invitations, next: next_offset };
    },
    [accounts],
  );
  const list = useList<Invitation>(load);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const body = { days: Number(formValue(form, "days")), uses_max: Number(formValue(form, "uses")) };
    if (await action.run(() => accounts.makeInvitation(body))) list.reload();
  };
  return (
    <section className="stack" aria-label={texts.title}>
      <h3>{texts.title}</h3>
      <p className="hint">{texts.hint}</p>
      <form className="stack" onSubmit={submit}>
        <Select label={texts.days} name="days" choices={texts.dayChoices} defaultValue="7" />
        <Field
          label={texts.uses}
          name="uses"
          type="number"
          min={1}
          max={INVITATION_USES_MAX}
          defaultValue={1}
          required
        />
        <Submit action={action} className="secondary">
          {texts.make}
        </Submit>
      </form>
      <Lines items={list.items} slug={slug} onChanged={list.reload} />
      <ListEnd list={list} none={texts.none} />
    </section>
  );
}

/** Shows the invitations of all users to administrators, who can revoke them. */
export function AllInvitations() {
  const { client } = useParley();
  const texts = useInvitationTexts();
  const { admin } = client;
  const load = useCallback(
    async (offset: number | undefined) => {
      const { invitations, next_offset } = await admin.invitations({ offset });
      return { items: invitations, next: next_offset };
    },
    [admin],
  );
  const list = useList<Invitation>(load);
  return (
    <section className="stack" aria-label={texts.all}>
      <h3>{texts.all}</h3>
      <Lines items={list.items} isOfAll onChanged={list.reload} />
      <ListEnd list={list} none={texts.none} />
    </section>
  );
}

interface LinesProps {
  items: readonly Invitation[] | null;
  slug?: string | null;
  /** Shows makers, and no links. */
  isOfAll?: boolean;
  onChanged(): void;
}

function Lines({ items, slug = null, isOfAll = false, onChanged }: LinesProps) {
  const { client } = useParley();
  const texts = useInvitationTexts();
  const action = useAction();
  const revoke = async (code: string) => {
    if (await action.run(() => client.accounts.revokeInvitation(code))) onChanged();
  };
  return (
    <>
      <ErrorLine text={action.error} />
      <ul className="lines" aria-label={isOfAll ? texts.all : texts.title}>
        {items?.map((invitation) => {
          const { invitation_id, code, created_by, uses, uses_max, expires_at, state } = invitation;
          const isOpen = state === "open";
          const facts = [
            texts.states[state],
            ...(isOfAll ? [texts.by(created_by)] : []),
            texts.used(uses, uses_max),
            texts.until(momentOf(expires_at)),
          ];
          return (
            <li key={invitation_id}>
              <span>
                {isOpen && !isOfAll ? (
                  <CopyField label={texts.link(code)} value={invitationLink(location.origin, code, slug)} />
                ) : (
                  <bdi className="name">{code}</bdi>
                )}
                <span className="muted"> {facts.join(" · ")}</span>
              </span>
              {isOpen && (
                <button
                  type="button"
                  className="secondary"
                  disabled={action.isBusy}
                  aria-label={`${texts.revoke}: ${code}`}
                  onClick={() => void revoke(code)}
                >
                  {texts.revoke}
                </button>
              )}
            </li>
          );
        })}
      </ul>
    </>
  );
}
