import { useTexts } from "../i18n/use-texts.ts";
import { useParley } from "../session/parley-context.ts";
import type { Asked } from "../state/confirm.ts";
import { useStore } from "../state/store.ts";
import { Dialog } from "../ui/dialog.tsx";
import { DialogBoundary } from "../ui/dialog-boundary.tsx";

/** The current confirmation dialog, over everything. Escape and the close button mean no; the button names the action. */
export function ConfirmDialog() {
  const asked = useStore(useParley().confirm.asked);
  if (asked === null) return null;
  return (
    <DialogBoundary key={asked.id} onClose={() => asked.answer(false)}>
      <QuestionDialog asked={asked} />
    </DialogBoundary>
  );
}

/** Asks for confirmation, or says something until it is dismissed. */
function QuestionDialog({ asked }: { asked: Asked }) {
  const { app } = useTexts();
  const { title, text, action, isStatement = false } = asked;
  return (
    <Dialog title={title} onClose={() => asked.answer(false)}>
      <p className="asked">
        <bdi>{text}</bdi>
      </p>
      <div className="row answers">
        {!isStatement && (
          <button type="button" className="secondary" onClick={() => asked.answer(false)}>
            {app.cancel}
          </button>
        )}
        <button type="button" className={isStatement ? undefined : "danger"} onClick={() => asked.answer(true)}>
          {action}
        </button>
      </div>
    </Dialog>
  );
}
