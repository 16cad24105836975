import type { SecondFactorState, TotpResponse } from "@parley/sdk";
import { type FormEvent, useState } from "react";
import { momentOf } from "../i18n/date-format.ts";
import { useFactorTexts } from "../i18n/hooks/use-factor-texts.ts";
import { CopyField } from "../session/copy-field.tsx";
import { useParley } from "../session/parley-context.ts";
import { Field } from "../ui/field.tsx";
import { formValue } from "../ui/form-value.ts";
import { QrCode } from "../ui/qr-code.tsx";
import { ErrorLine, Submit } from "../ui/submit.tsx";
import { type Action, useAction } from "../ui/use-action.ts";
import { CurrentPassword } from "./current-password.tsx";
import { RecoveryCodes } from "./recovery-codes.tsx";

interface Props {
  state: SecondFactorState;
  /** Loads the state again. */
  onChange(): void;
}

/** The authenticator app: set-up with its recovery codes, and its removal. */
export function AuthenticatorApp({ state, onChange }: Props) {
  const parley = useParley();
  const action = useAction();
  const [begun, setBegun] = useState<TotpResponse | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const { secondFactors } = parley.client;
  if (codes !== null) {
    const saved = () => {
      setCodes(null);
      onChange();
    };
    return <RecoveryCodes codes={codes} onDone={saved} />;
  }
  if (begun !== null) {
    const confirm = async (code: string) => {
      const show = async () => setCodes((await secondFactors.confirmApp(code)).recovery_codes);
      if (await action.run(show)) setBegun(null);
    };
    return <Confirm begun={begun} action={action} onCode={confirm} />;
  }
  const begin = (current_password: string | undefined) =>
    void action.run(async () => setBegun(await secondFactors.beginApp({ current_password })));
  if (state.totp_since === null) return <Begin action={action} onBegin={begin} />;
  return <Running state={state} since={state.totp_since} onChange={onChange} onCodes={setCodes} />;
}

function Begin({ action, onBegin }: { action: Action; onBegin(password: string | undefined): void }) {
  const texts = useFactorTexts();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onBegin(formValue(event.currentTarget, "current") || undefined);
  };
  return (
    <form className="stack" onSubmit={submit}>
      <p className="hint">{texts.appHint}</p>
      <CurrentPassword action={action} />
      <Submit action={action}>{texts.setUp}</Submit>
    </form>
  );
}

function Confirm({ begun, action, onCode }: { begun: TotpResponse; action: Action; onCode(code: string): void }) {
  const texts = useFactorTexts();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onCode(formValue(event.currentTarget, "code"));
  };
  return (
    <form className="stack" onSubmit={submit}>
      <p className="hint">{texts.scan}</p>
      <QrCode svg={begun.qr_svg} label={texts.qr} />
      <CopyField label={texts.secret} value={begun.secret} />
      <Field
        label={texts.code}
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={16}
        autoFocus
        required
      />
      <Submit action={action}>{texts.confirm}</Submit>
    </form>
  );
}

interface RunningProps extends Props {
  since: string;
  onCodes(codes: readonly string[]): void;
}

function Running({ state, since, onChange, onCodes }: RunningProps) {
  const parley = useParley();
  const texts = useFactorTexts();
  const action = useAction();
  const { secondFactors } = parley.client;
  const ask = (text: string, act: string) => parley.confirm.ask({ title: texts.app, text, action: act });
  const passwordIn = (form: HTMLFormElement | null) => (form !== null && formValue(form, "current")) || undefined;
  const renew = async (form: HTMLFormElement | null) => {
    const current_password = passwordIn(form);
    if (!(await ask(texts.renewSure, texts.renew))) return;
    await action.run(async () =>
      onCodes((await secondFactors.renewRecoveryCodes({ current_password })).recovery_codes),
    );
  };
  const remove = async (form: HTMLFormElement | null) => {
    const current_password = passwordIn(form);
    if (!(await ask(texts.removeAppSure, texts.removeApp))) return;
    if (await action.run(() => secondFactors.removeApp({ current_password }))) onChange();
  };
  return (
    <form className="stack" onSubmit={(event) => event.preventDefault()}>
      <p>
        {texts.appSince(momentOf(since))} {texts.recoveryLeft(state.recovery_codes_left)}
      </p>
      <CurrentPassword action={action} />
      <ErrorLine text={action.error} />
      <div className="row">
        <button
          type="button"
          className="secondary"
          disabled={action.isBusy}
          onClick={(event) => void renew(event.currentTarget.form)}
        >
          {texts.renew}
        </button>
        <button
          type="button"
          className="secondary danger"
          disabled={action.isBusy}
          onClick={(event) => void remove(event.currentTarget.form)}
        >
          {texts.removeApp}
        </button>
      </div>
    </form>
  );
}
