import { useState } from "react";
import { LogInAgain } from "../account/log-in-again.tsx";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useOwnLogins } from "../session/use-own-logins.ts";
import { Field } from "../ui/field.tsx";
import type { Action } from "../ui/use-action.ts";

interface Props {
  /** The change that the server may refuse without the password. */
  action: Action;
  value?: string;
  onValue?(value: string): void;
}

/**
 * The user's current password, `current` in its form. It is shown once the server has asked for it, which it does some
 * time after the login. Users with a login by the identity provider can use that instead.
 */
export function CurrentPassword({ action, value, onValue }: Props) {
  const { profile: texts } = useWindowTexts();
  const [isAsked, setAsked] = useState(false);
  if (action.code === "reauth_required" && !isAsked) setAsked(true);
  const logins = useOwnLogins(isAsked);
  if (!isAsked || logins === null) return null;
  return (
    <>
      {logins.has_password && (
        <Field
          label={texts.current}
          name="current"
          type="password"
          autoComplete="current-password"
          autoFocus
          required
          value={value}
          onChange={onValue && ((event) => onValue(event.target.value))}
        />
      )}
      {logins.identities.length > 0 && <LogInAgain />}
    </>
  );
}
