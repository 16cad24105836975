import type { OwnMail } from "@parley/protocol/own-mail";
import { Mail } from "@parley/sdk/groups";
import { useEffect, useState } from "react";
import { useMailTexts } from "../i18n/hooks/use-mail-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";

/** The address and its state, with a button that sends a link to confirm it. */
export function OwnAddress() {
  const parley = useParley();
  const { app } = useTexts();
  const texts = useMailTexts();
  const loading = useAction();
  const action = useAction();
  const [own, setOwn] = useState<OwnMail | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `loading` is new in each render.
  useEffect(() => {
    void loading.run(async () => setOwn(await parley.client.group(Mail).own()));
  }, [parley]);
  if (own === null) {
    return loading.error === null ? <p className="hint">{app.loading}</p> : <ErrorLine text={loading.error} />;
  }
  const send = async () => {
    if (await action.run(() => parley.client.group(Mail).askForConfirmation())) parley.notices.say(texts.linkSent);
  };
  const { address, state } = own;
  return (
    <>
      <p className={state === "refused" ? "warning" : "hint"}>
        {address === null || state === "none" ? texts.states.none : texts.states[state](address)}
      </p>
      {(state === "unconfirmed" || state === "refused") && (
        <>
          <ErrorLine text={action.error} />
          <button type="button" className="secondary" disabled={action.isBusy} onClick={() => void send()}>
            {texts.sendLink}
          </button>
        </>
      )}
    </>
  );
}
