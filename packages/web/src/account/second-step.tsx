import type { ErrorDetailsFor } from "@parley/sdk";
import type { FormEvent } from "react";
import { useFactorTexts } from "../i18n/hooks/use-factor-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { Field } from "../ui/field.tsx";
import { formValue } from "../ui/form-value.ts";
import { Submit } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";
import { PasskeyLogin } from "./passkey-login.tsx";

interface Props {
  challenge: ErrorDetailsFor<"second_factor_required">;
  onDone(): void;
  /** Goes back to the password. */
  onStartOver(): void;
}

/** The second step of a login: a code, or a passkey instead. */
export function SecondStep({ challenge, onDone, onStartOver }: Props) {
  const parley = useParley();
  const { account } = useTexts();
  const texts = useFactorTexts();
  const action = useAction();
  const { challenge_id, methods } = challenge;
  const hasCodes = methods.some((method) => method !== "passkey");
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const code = formValue(event.currentTarget, "code");
    if (await action.run(() => parley.client.secondFactors.answer({ challenge_id, code }))) onDone();
  };
  return (
    <>
      {hasCodes ? (
        <form className="stack" onSubmit={submit}>
          <p>{texts.secondStep}</p>
          <Field
            label={texts.secondCode}
            name="code"
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={64}
            autoFocus
            required
          />
          <Submit action={action}>{account.logIn}</Submit>
        </form>
      ) : (
        <p>{texts.onlyPasskey}</p>
      )}
      {methods.includes("passkey") && <PasskeyLogin onDone={onDone} />}
      <p className="aside">
        <button type="button" className="link" onClick={onStartOver}>
          {texts.startOver}
        </button>
      </p>
    </>
  );
}
