import { useParley, useTexts } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";
import { NoticeLine } from "./security-notice-line.tsx";

const SHOWN = 3;

/** Notices about the security of the user's account, until they are dismissed. */
export function SecurityNotices() {
  const parley = useParley();
  const { security: texts } = useTexts();
  const notices = useStore(parley.security.all);
  if (notices.length === 0) return null;
  const dismiss = () => parley.security.dismiss().catch((error: unknown) => parley.complain(error));
  return (
    <section className="security" aria-label={texts.title}>
      <ul>
        {notices.slice(0, SHOWN).map((notice) => (
          <li key={notice.notice_id}>
            <NoticeLine notice={notice} />
          </li>
        ))}
      </ul>
      {notices.length > SHOWN && <p className="soft">{texts.more(notices.length - SHOWN)}</p>}
      <button type="button" className="quiet" onClick={() => void dismiss()}>
        {texts.dismiss}
      </button>
    </section>
  );
}
