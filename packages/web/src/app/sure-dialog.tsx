import { Dialog } from "./dialog.tsx";
import { useParley, useTexts } from "./parley-context.ts";
import { useStore } from "./store.ts";

/** The question that is asked now, over everything. Escape and the cross are a no; the button says what a yes does. */
export function SureDialog() {
  const asked = useStore(useParley().sure.asked);
  const { app } = useTexts();
  if (asked === null) return null;
  return (
    <Dialog key={asked.id} title={asked.title} onClose={() => asked.answer(false)}>
      <p>
        <bdi>{asked.text}</bdi>
      </p>
      <div className="row answers">
        <button type="button" className="quiet" onClick={() => asked.answer(false)}>
          {app.cancel}
        </button>
        <button type="button" className="danger" onClick={() => asked.answer(true)}>
          {asked.act}
        </button>
      </div>
    </Dialog>
  );
}
