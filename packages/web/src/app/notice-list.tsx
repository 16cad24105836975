import { useTexts } from "../i18n/use-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";
import { CloseIcon } from "../ui/icons.tsx";

/** Short notices, shown above everything. */
export function NoticeList() {
  const { notices } = useParley();
  const texts = useTexts();
  const all = useStore(notices.all);
  return (
    <div className="notices" role="status">
      {all.map(({ id, kind, text }) => (
        <p key={id} className={`notice ${kind}`}>
          <bdi>{text}</bdi>
          <button
            type="button"
            className="icon-button"
            aria-label={texts.app.close}
            onClick={() => notices.dismiss(id)}
          >
            <CloseIcon />
          </button>
        </p>
      ))}
    </div>
  );
}
