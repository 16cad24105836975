import type { Channel } from "@parley/protocol/models";
import type { FormEvent } from "react";
import { useTexts } from "../i18n/use-texts.ts";
import { lazy } from "../session/lazy.tsx";
import { useParley, useSelf } from "../session/parley-context.ts";
import { Field } from "../ui/field.tsx";
import { Submit } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";

const PaidJoin = lazy(async () => (await import("./paid-join.tsx")).PaidJoin);

/** Joins a channel: with its password, for its price, or directly. */
export function JoinPanel({ channel }: { channel: Channel }) {
  const parley = useParley();
  const self = useSelf();
  const { channels: texts, account } = useTexts();
  const action = useAction();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const password = new FormData(event.currentTarget).get("password");
    await action.run(async () => {
      const { channel: joined } = await parley.client.channels.join(channel.id, {
        password: password === null ? undefined : String(password),
      });
      parley.channels.put(joined);
    });
  };
  if (channel.price !== null) return <PaidJoin key={channel.id} channel={channel} price={channel.price} />;
  if (!channel.has_password) {
    return (
      <form className="join-line" onSubmit={submit}>
        <p>{action.error ?? texts.joinPublic}</p>
        <button type="submit" className="secondary" disabled={action.isBusy}>
          {texts.join}
        </button>
      </form>
    );
  }
  return (
    <form className="join stack" onSubmit={submit}>
      <h3>
        <bdi>{texts.joinTitle(channel.name)}</bdi>
      </h3>
      <p>{texts.joinPassword}</p>
      {self === null ? (
        <button type="button" onClick={() => parley.loginDialog.set("login")}>
          {account.logIn}
        </button>
      ) : (
        <>
          <Field label={texts.password} name="password" type="password" autoComplete="off" maxLength={128} required />
          <Submit action={action}>{texts.join}</Submit>
        </>
      )}
    </form>
  );
}
