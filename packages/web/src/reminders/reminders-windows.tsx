import type { RemindedMessage } from "../session/open-dialog.ts";
import { RemindDialog } from "./remind-dialog.tsx";
import { RemindersWindow } from "./reminders-window.tsx";

/** Asks when to remind the user of a message, or lists their reminders. */
export function RemindersWindows({ of, onClose }: { of?: RemindedMessage | undefined; onClose(): void }) {
  return of === undefined ? <RemindersWindow onClose={onClose} /> : <RemindDialog {...of} onClose={onClose} />;
}
