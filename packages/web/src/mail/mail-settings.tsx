import type { OwnMail } from "@parley/protocol/own-mail";
import type { DigestChoice } from "@parley/protocol/preferences";
import { Mail } from "@parley/sdk/groups";
import { useEffect, useState } from "react";
import { useMailTexts } from "../i18n/hooks/use-mail-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { useSite } from "../session/use-site.ts";
import { useStore } from "../state/store.ts";
import { Select } from "../ui/select.tsx";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";

/** Where the user's mails go, and which they get. */
export function MailSettings() {
  const texts = useMailTexts();
  const site = useSite();
  if (site === null) return null;
  return site.mail === true ? <Settings /> : <p className="hint">{texts.off}</p>;
}

function Settings() {
  const parley = useParley();
  const texts = useMailTexts();
  const { preferences } = parley.calls;
  const { mail } = useStore(preferences.notifications);
  const save = (change: Partial<typeof mail>) => {
    preferences.setNotifications({ mail: change }).catch((error: unknown) => parley.showError(error));
  };
  return (
    <>
      <Address />
      <Select
        label={texts.digest}
        choices={texts.digests}
        value={mail.digest}
        onChange={(event) => save({ digest: event.target.value as DigestChoice })}
      />
      <p className="hint">{texts.digestHint}</p>
      {mail.digest !== "off" && (
        <label className="check">
          <input
            type="checkbox"
            checked={mail.previews}
            onChange={(event) => save({ previews: event.target.checked })}
          />
          <span>
            {texts.previews}
            <span className="hint">{texts.previewsHint}</span>
          </span>
        </label>
      )}
    </>
  );
}

/** The address and its state, with a button that sends a link to confirm it. */
function Address() {
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
    if (await action.run(() => parley.client.group(Mail).sendConfirmation())) parley.notices.say(texts.linkSent);
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
