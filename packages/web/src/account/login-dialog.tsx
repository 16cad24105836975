import { type ErrorDetailsFor, ParleyError } from "@parley/sdk";
import { type FormEvent, useState } from "react";
import { useLoginTexts } from "../i18n/hooks/use-login-texts.ts";
import { useMailTexts } from "../i18n/hooks/use-mail-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { ForgotPassword } from "../mail/forgot-password.tsx";
import { useParley } from "../session/parley-context.ts";
import { mayRegister } from "../session/site-access.ts";
import { useSite } from "../session/use-site.ts";
import { useStore } from "../state/store.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { formValue } from "../ui/form-value.ts";
import { ErrorLine, Submit } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";
import { PasskeyLogin } from "./passkey-login.tsx";
import { SecondStep } from "./second-step.tsx";
import { signOnHref } from "./sign-on.ts";

type Challenge = ErrorDetailsFor<"second_factor_required">;

/** The login and registration dialog: by the identity provider, with a password, or both. */
export function LoginDialog() {
  const parley = useParley();
  const texts = useLoginTexts();
  const side = useStore(parley.loginDialog);
  const failure = useStore(parley.entrance.failure);
  const site = useSite();
  const isNew = side === "register" && (site === null || mayRegister(site));
  const passwords = site?.password_login ?? "on";
  const provider = site?.oidc_name ?? null;
  const [challenge, setChallenge] = useState<Challenge | null>(null);
  const [forgotten, setForgotten] = useState<string | null>(null);
  const mail = useMailTexts();
  const close = () => {
    parley.entrance.failure.set(null);
    parley.loginDialog.set(null);
  };
  const done = () => {
    parley.changeUser();
    close();
  };
  if (forgotten !== null) {
    return (
      <Dialog title={mail.forgot.title} onClose={close}>
        <ForgotPassword username={forgotten} onBack={() => setForgotten(null)} />
      </Dialog>
    );
  }
  if (challenge !== null) {
    return (
      <Dialog title={texts.welcome} onClose={close}>
        <div className="stack">
          <SecondStep challenge={challenge} onDone={done} onStartOver={() => setChallenge(null)} />
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title={isNew ? texts.join : texts.welcome} onClose={close}>
      <div className="stack">
        {failure !== null && <ErrorLine text={failure.text(parley.preferences.texts)} />}
        {provider !== null && (
          <a className="button" href={signOnHref()}>
            {texts.continueWith(provider)}
          </a>
        )}
        {provider !== null && passwords !== "off" && (
          <p className="hint">{passwords === "owners" ? texts.ownersOnly : texts.orPassword}</p>
        )}
        {passwords !== "off" && (
          <PasswordLogin isNew={isNew} onDone={done} onChallenge={setChallenge} onForgot={setForgotten} />
        )}
        {!isNew && <PasskeyLogin onDone={done} />}
      </div>
    </Dialog>
  );
}

interface PasswordLoginProps {
  isNew: boolean;
  onDone(): void;
  /** The password is right, and a second factor is due. */
  onChallenge(challenge: Challenge): void;
  /** The user has forgotten the password. `username`: what they have entered. */
  onForgot(username: string): void;
}

/** The form for a name and a password, to log in or to register. */
function PasswordLogin({ isNew, onDone, onChallenge, onForgot }: PasswordLoginProps) {
  const parley = useParley();
  const { account } = useTexts();
  const texts = useLoginTexts();
  const mail = useMailTexts();
  const action = useAction();
  const [username, setUsername] = useState("");
  const site = useSite();
  const registration = site?.registration ?? "open";
  const invitation = useStore(parley.entrance.invitation);
  const inviter = useStore(parley.entrance.inviter) ?? null;
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const filled = (name: string) => formValue(form, name).trim() || undefined;
    const password = formValue(form, "password");
    let challenge: Challenge | null = null;
    const isDone = await action.run(() =>
      isNew
        ? parley.client.accounts.register({
            username,
            password,
            email: filled("email"),
            invite_code: filled("invite"),
            channel_slug: invitation?.channelSlug,
          })
        : parley.client.accounts.login({ username, password }).catch((error: unknown) => {
            if (!(error instanceof ParleyError) || !error.is("second_factor_required")) throw error;
            challenge = error.details;
          }),
    );
    if (challenge !== null) onChallenge(challenge);
    else if (isDone) onDone();
  };
  return (
    <form className="stack" onSubmit={submit}>
      {isNew && inviter !== null && <p>{texts.invitedBy(inviter)}</p>}
      <Field
        label={texts.username}
        name="username"
        value={username}
        onChange={(event) => setUsername(event.target.value)}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={32}
        required
      />
      <Field
        label={texts.password}
        name="password"
        type="password"
        autoComplete={isNew ? "new-password" : "current-password"}
        maxLength={128}
        required
        {...(isNew ? { hint: account.passwordHint } : {})}
      />
      {isNew && <Field label={texts.email} name="email" type="email" autoComplete="email" />}
      {isNew && (
        <Field
          key={inviter}
          label={registration === "invite" ? texts.inviteRequired : texts.invite}
          name="invite"
          defaultValue={inviter === null ? undefined : (invitation?.code ?? undefined)}
          autoComplete="off"
          spellCheck={false}
          required={registration === "invite"}
        />
      )}
      <Submit action={action}>{isNew ? account.register : account.logIn}</Submit>
      {action.code === "invalid_credentials" && site?.mail !== true && <p className="hint">{texts.forgot}</p>}
      {!isNew && site?.mail === true && (
        <p className="aside">
          <button type="button" className="link" onClick={() => onForgot(username)}>
            {mail.forgot.ask}
          </button>
        </p>
      )}
      {(isNew || site === null || mayRegister(site)) && (
        <p className="aside">
          {isNew ? texts.haveOne : texts.newHere}{" "}
          <button type="button" className="link" onClick={() => parley.loginDialog.set(isNew ? "login" : "register")}>
            {isNew ? account.logIn : account.register}
          </button>
        </p>
      )}
    </form>
  );
}
