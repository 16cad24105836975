import { type ReactNode, useEffect, useState } from "react";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { OwnAddress } from "../mail/own-address.tsx";
import { CopyField } from "../session/copy-field.tsx";
import type { ProfileTab } from "../session/open-dialog.ts";
import { useParley } from "../session/parley-context.ts";
import { useSite, useValue } from "../session/use-site.ts";
import { invitationLink } from "../state/invitation.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Section } from "../ui/section.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { AccountData } from "./account-data.tsx";
import { EmailForm, PasswordForm } from "./account-forms.tsx";
import { AvatarEditor } from "./avatar-editor.tsx";
import { LinkedLogins } from "./linked-logins.tsx";
import { Notifications } from "./notifications.tsx";
import type { OwnUser, ProfilePartProps } from "./own-user.ts";
import { PointsHistory, Progress } from "./progress.tsx";
import { SecondFactors } from "./second-factors.tsx";
import { BlockList, SecurityHistory } from "./security.tsx";
import { Sessions } from "./sessions.tsx";
import { ShownForm } from "./shown-form.tsx";
import { Wallets } from "./wallets.tsx";

const TABS: Record<ProfileTab, (props: ProfilePartProps & { onClose(): void }) => ReactNode> = {
  profile: ProfilePart,
  notifications: Notifications,
  wallets: Wallets,
  account: AccountPart,
  security: SecurityPart,
};

/** The profile window: public profile, points, and private settings. `at`: the tab that is shown first. */
export function ProfileWindow({ self, at = "profile", onClose }: { self: string; at?: ProfileTab; onClose(): void }) {
  const parley = useParley();
  const { app } = useTexts();
  const { profile: texts } = useWindowTexts();
  const [user, setUser] = useState<OwnUser | null>(null);
  const [tab, setTab] = useState(at);
  const hasWallets = useValue() !== false;
  const tabs = (Object.keys(TABS) as ProfileTab[]).filter((each) => hasWallets || each !== "wallets");
  useEffect(() => {
    parley.client.accounts.user(self).then(setUser, (error: unknown) => {
      parley.showError(error);
      parley.openDialog.set(null);
    });
  }, [parley, self]);
  const Shown = TABS[tab];
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <Tabs<ProfileTab>
        label={texts.title}
        tabs={tabs.map((each) => ({ tab: each, name: texts.tabs[each] }))}
        shown={tab}
        onShow={setTab}
      >
        {user === null ? (
          <p className="hint">{app.loading}</p>
        ) : (
          <Shown user={user} onUser={setUser} onClose={onClose} />
        )}
      </Tabs>
    </Dialog>
  );
}

function ProfilePart({ user, onUser }: ProfilePartProps) {
  const { profile: texts } = useWindowTexts();
  return (
    <>
      <AvatarEditor user={user} onUser={onUser} />
      <ShownForm user={user} onUser={onUser} />
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
    </>
  );
}

function AccountPart({ user, onUser, onClose }: ProfilePartProps & { onClose(): void }) {
  const site = useSite();
  const { profile: texts } = useWindowTexts();
  return (
    <>
      <Section title={texts.email}>
        <EmailForm user={user} onUser={onUser} />
        {site?.mail === true && <OwnAddress key={user.email} />}
      </Section>
      <Section title={texts.data}>
        <AccountData user={user} onDeleted={onClose} />
      </Section>
    </>
  );
}

function SecurityPart({ user, onUser }: ProfilePartProps) {
  const { profile: texts } = useWindowTexts();
  const passwordLogin = useSite()?.password_login;
  /** Changing the password ends sessions, so the list is reloaded. */
  const [passwords, setPasswords] = useState(0);
  const passwordSet = (own: OwnUser) => {
    onUser(own);
    setPasswords((count) => count + 1);
  };
  return (
    <>
      {passwordLogin !== "off" && (
        <Section title={texts.password}>
          <PasswordForm user={user} onUser={passwordSet} />
        </Section>
      )}
      <LinkedLogins />
      <SecondFactors />
      <Section title={texts.sessions}>
        <Sessions key={passwords} />
        <SecurityHistory key={`security ${passwords}`} />
      </Section>
      <Section title={texts.blocked}>
        <BlockList />
      </Section>
    </>
  );
}
