import { useEffect, useState } from "react";
import { useWelcomeTexts } from "../i18n/hooks/use-welcome-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { CopyField } from "../session/copy-field.tsx";
import { useParley } from "../session/parley-context.ts";
import { invitationLink } from "../state/invitation.ts";
import { useStore } from "../state/store.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Select } from "../ui/select.tsx";
import { OwnInvitations } from "./invitations.tsx";

/** Shows the user's invitation link to copy. It leads to the channel that is open, if everybody may join that one. */
export function InviteDialog({ self, onClose }: { self: string; onClose(): void }) {
  const parley = useParley();
  const { app } = useTexts();
  const { invite: texts } = useWelcomeTexts();
  const { channels } = useStore(parley.channels.view);
  const isOpen = channels.filter(({ is_private, is_direct, price }) => !is_private && !is_direct && price === null);
  const [slug, setSlug] = useState(() => {
    const current = parley.channelAt(parley.route.get());
    return isOpen.some(({ id }) => id === current?.id) ? (current?.channel_slug ?? "") : "";
  });
  const [code, setCode] = useState<string>();
  useEffect(() => {
    parley.client.accounts.user(self).then(
      ({ invite_code }) => setCode(invite_code),
      (error: unknown) => {
        parley.showError(error);
        onClose();
      },
    );
  }, [parley, self, onClose]);
  const places = Object.fromEntries([
    ["", texts.start],
    ...isOpen.map(({ channel_slug, name }) => [channel_slug, `#${name}`]),
  ]);
  return (
    <Dialog title={texts.title} onClose={onClose}>
      {code === undefined ? (
        <p className="hint">{app.loading}</p>
      ) : (
        <div className="stack">
          {isThisMachine(location.hostname) && <p className="warning">{texts.onlyHere}</p>}
          <CopyField label={texts.link} value={invitationLink(location.origin, code, slug || null)} hint={texts.hint} />
          <Select
            label={texts.channel}
            choices={places}
            value={slug}
            onChange={(event) => setSlug(event.target.value)}
          />
          <OwnInvitations slug={slug || null} />
        </div>
      )}
    </Dialog>
  );
}

/** True for names and addresses that lead each machine to itself. */
const isThisMachine = (host: string): boolean =>
  /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0)$/.test(host);
