import { useEffect, useState } from "react";
import { useTexts } from "../i18n/use-texts.ts";
import { useWindowTexts } from "../i18n/window-texts.ts";
import { CopyField } from "../session/copy-field.tsx";
import { useParley } from "../session/parley-context.ts";
import { invitationLink } from "../state/invitation.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Section } from "../ui/section.tsx";
import { AccountData } from "./account-data.tsx";
import { EmailForm, PasswordForm } from "./account-forms.tsx";
import { AvatarEditor } from "./avatar-editor.tsx";
import { Notifications } from "./notifications.tsx";
import type { OwnUser } from "./own-user.ts";
import { PointsHistory, Progress } from "./progress.tsx";
import { BlockList, SecurityHistory } from "./security.tsx";
import { Sessions } from "./sessions.tsx";
import { Wallets } from "./wallets.tsx";

/** The profile window: public profile, points, and private settings. */
export function ProfileWindow({ self, onClose }: { self: string; onClose(): void }) {
  const parley = useParley();
  const { app, calls } = useTexts();
  const { profile: texts } = useWindowTexts();
  const [user, setUser] = useState<OwnUser | null>(null);
  /** Changing the password ends sessions, so the list is reloaded. */
  const [passwords, setPasswords] = useState(0);
  const passwordSet = (own: OwnUser) => {
    setUser(own);
    setPasswords((count) => count + 1);
  };
  useEffect(() => {
    parley.client.accounts.user(self).then(setUser, (error: unknown) => {
      parley.showError(error);
      parley.openDialog.set(null);
    });
  }, [parley, self]);
  return (
    <Dialog title={texts.title} onClose={onClose}>
      {user === null ? (
        <p className="hint">{app.loading}</p>
      ) : (
        <>
          <AvatarEditor user={user} onUser={setUser} />
          <Progress user={user} />
          <PointsHistory user={user} />
          {user.invite_code !== undefined && (
            <Section title={texts.invite}>
              <CopyField
                label={texts.inviteLink}
                value={invitationLink(location.origin, user.invite_code, null)}
                hint={texts.inviteHint}
              />
              <CopyField label={texts.inviteCode} value={user.invite_code} />
            </Section>
          )}
          <Section title={texts.email}>
            <EmailForm user={user} onUser={setUser} />
          </Section>
          <Section title={calls.title}>
            <Notifications />
          </Section>
          <Section title={texts.wallets}>
            <Wallets user={user} onUser={setUser} />
          </Section>
          <Section title={texts.password}>
            <PasswordForm user={user} onUser={passwordSet} />
          </Section>
          <Section title={texts.sessions}>
            <Sessions key={passwords} />
            <SecurityHistory key={`security ${passwords}`} />
          </Section>
          <Section title={texts.blocked}>
            <BlockList />
          </Section>
          <Section title={texts.data}>
            <AccountData user={user} onDeleted={onClose} />
          </Section>
        </>
      )}
    </Dialog>
  );
}
