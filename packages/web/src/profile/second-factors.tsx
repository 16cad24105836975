import type { SecondFactorState } from "@parley/sdk";
import { useCallback, useEffect, useState } from "react";
import { useFactorTexts } from "../i18n/hooks/use-factor-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { Section } from "../ui/section.tsx";
import { AuthenticatorApp } from "./authenticator-app.tsx";
import { PasskeyList } from "./passkey-list.tsx";

/** The user's authenticator app and passkeys. `onState` hears how many there are, also after a change. */
export function SecondFactors({ onState }: { onState?(state: SecondFactorState): void }) {
  const parley = useParley();
  const { app } = useTexts();
  const texts = useFactorTexts();
  const [state, setState] = useState<SecondFactorState | null>(null);
  const load = useCallback(() => {
    const read = async () => {
      const { second_factor } = await parley.client.secondFactors.state();
      setState(second_factor);
      onState?.(second_factor);
    };
    read().catch((error: unknown) => parley.showError(error));
  }, [parley, onState]);
  useEffect(load, [load]);
  if (state === null) return <p className="hint">{app.loading}</p>;
  return (
    <>
      <Section title={texts.app}>
        <AuthenticatorApp state={state} onChange={load} />
      </Section>
      <Section title={texts.passkeys}>
        <PasskeyList isAvailable={state.passkeys_available} onChange={load} />
      </Section>
    </>
  );
}
