import type { DigestChoice, MailSettings as Settings } from "@parley/protocol/preferences";
import { useMailTexts } from "../i18n/hooks/use-mail-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { useSite } from "../session/use-site.ts";
import { useStore } from "../state/store.ts";
import { Select } from "../ui/select.tsx";
import { OwnAddress } from "./own-address.tsx";

/** Until the server has answered. */
const DEFAULTS: Settings = { digest: "away", previews: false };

/** Where the user's mails go, and which they get. */
export function MailSettings() {
  const texts = useMailTexts();
  const site = useSite();
  if (site === null) return null;
  return site.mail === true ? <Choices /> : <p className="hint">{texts.off}</p>;
}

function Choices() {
  const parley = useParley();
  const texts = useMailTexts();
  const { preferences } = parley.calls;
  const { mail = DEFAULTS } = useStore(preferences.notifications);
  const save = (change: Partial<Settings>) => {
    preferences.setNotifications({ mail: change }).catch((error: unknown) => parley.showError(error));
  };
  return (
    <>
      <OwnAddress />
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
