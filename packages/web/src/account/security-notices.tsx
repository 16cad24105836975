import { useSecurityTexts } from "../i18n/hooks/use-security-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";
import { SecurityNoticeLine } from "./security-notice-line.tsx";

const SHOWN = 3;

/** Notices about the security of the user's account, until they are dismissed. */
export function SecurityNotices() {
  const parley = useParley();
  const { security } = useTexts();
  const texts = useSecurityTexts();
  const notices = useStore(parley.securityNotices.all);
  if (notices.length === 0) return null;
  const dismiss = () => parley.securityNotices.dismiss().catch((error: unknown) => parley.showError(error));
  return (
    <section className="security" aria-label={security.title}>
      <ul>
        {notices.slice(0, SHOWN).map((notice) => (
          <li key={notice.notice_id}>
            <SecurityNoticeLine notice={notice} />
          </li>
        ))}
      </ul>
      {notices.length > SHOWN && <p className="muted">{texts.more(notices.length - SHOWN)}</p>}
      <button type="button" className="secondary" onClick={() => void dismiss()}>
        {texts.dismiss}
      </button>
    </section>
  );
}
