import type { ApiKey } from "@parley/protocol/api-keys";
import { AgentScope, type KeyGrant } from "@parley/protocol/key-grants";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { Field } from "../ui/field.tsx";
import { formValue } from "../ui/form-value.ts";

interface Props {
  /** The limits of the key that is replaced. */
  held?: Pick<ApiKey, "scopes" | "channels" | "expires_at"> | undefined;
}

const DAY_LENGTH = "2026-11-25".length;

/** Fields of what a new key may do, where and until when. Closed at first: most keys have no limits. */
export function KeyLimitFields({ held }: Props) {
  const { budgets: texts } = useWindowTexts();
  const { scopes = null, channels = null, expires_at = null } = held ?? {};
  return (
    <details open={scopes !== null || channels !== null || expires_at !== null}>
      <summary>{texts.limitKey}</summary>
      <div className="stack">
        <fieldset className="stack">
          <legend>{texts.scopes}</legend>
          {AgentScope.enum.map((scope) => (
            <label key={scope} className="choice">
              <input
                type="checkbox"
                name="scope"
                value={scope}
                defaultChecked={scopes === null || scopes.includes(scope)}
              />
              {texts.scopeNames[scope]}
            </label>
          ))}
        </fieldset>
        <Field
          label={texts.keyChannels}
          hint={texts.keyChannelsHint}
          name="channels"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          defaultValue={channels?.join(", ") ?? ""}
        />
        <Field
          label={texts.expires}
          hint={texts.expiresHint}
          name="expires"
          type="date"
          defaultValue={
            expires_at !== null && Date.parse(expires_at) > Date.now() ? expires_at.slice(0, DAY_LENGTH) : ""
          }
        />
      </div>
    </details>
  );
}

/** Reads the limits from a form with `KeyLimitFields`. */
export function grantIn(form: HTMLFormElement): KeyGrant {
  const chosen = new FormData(form).getAll("scope");
  const scopes = AgentScope.enum.filter((scope) => chosen.includes(scope));
  const slugs = formValue(form, "channels")
    .split(/[\s,#]+/)
    .filter((slug) => slug !== "");
  const day = formValue(form, "expires");
  return {
    scopes: scopes.length === AgentScope.enum.length ? null : scopes,
    channels: slugs.length === 0 ? null : [...new Set(slugs)],
    // The key works until the end of that day.
    expires_at: day === "" ? null : `${day}T23:59:59.999Z`,
  };
}
