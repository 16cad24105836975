import type { SecondFactorState } from "@parley/sdk";
import { useState } from "react";
import { useFactorTexts } from "../i18n/hooks/use-factor-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";
import { SecondFactors } from "./second-factors.tsx";

/** The set-up that the site requires before anything else. Closing it logs out. */
export function RequiredFactor({ username }: { username: string }) {
  const parley = useParley();
  const texts = useFactorTexts();
  const action = useAction();
  const [state, setState] = useState<SecondFactorState | null>(null);
  const isDone = state !== null && !state.setup_required;
  const leave = () => (isDone ? parley.changeUser() : void action.run(() => parley.logOut()));
  return (
    <Dialog title={texts.required} onClose={leave}>
      {!isDone && <p>{texts.requiredHint(username)}</p>}
      <SecondFactors onState={setState} />
      <ErrorLine text={action.error} />
      <button type="button" className={isDone ? undefined : "secondary"} disabled={action.isBusy} onClick={leave}>
        {isDone ? texts.goOn : texts.logOut}
      </button>
    </Dialog>
  );
}
