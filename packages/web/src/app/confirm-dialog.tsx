import { useTexts } from "../i18n/use-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";
import { Dialog } from "../ui/dialog.tsx";

/** The current confirmation dialog, over everything. Escape and the close button mean no; the button names the action. */
export function ConfirmDialog() {
  const asked = useStore(useParley().confirm.asked);
  const { app } = useTexts();
  if (asked === null) return null;
  return (
    <Dialog key={asked.id} title={asked.title} onClose={() => asked.answer(false)}>
      <p>
        <bdi>{asked.text}</bdi>
      </p>
      <div className="row answers">
        <button type="button" className="secondary" onClick={() => asked.answer(false)}>
          {app.cancel}
        </button>
        <button type="button" className="danger" onClick={() => asked.answer(true)}>
          {asked.action}
        </button>
      </div>
    </Dialog>
  );
}
