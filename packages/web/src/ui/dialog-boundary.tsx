import type { ReactNode } from "react";
import { useTexts } from "../i18n/use-texts.ts";
import { Dialog } from "./dialog.tsx";
import { ErrorBoundary } from "./error-boundary.tsx";

/** Shows a dialog with the failure in place of a dialog that fails to render. Mount it with the dialog: closing resets it. */
export function DialogBoundary({ onClose, children }: { onClose(): void; children: ReactNode }) {
  return <ErrorBoundary fallback={<FailedDialog onClose={onClose} />}>{children}</ErrorBoundary>;
}

function FailedDialog({ onClose }: { onClose(): void }) {
  const { app, failures } = useTexts();
  return (
    <Dialog title={failures.dialogTitle} onClose={onClose}>
      <p role="alert">{failures.dialog}</p>
      <div className="row answers">
        <button type="button" onClick={onClose}>
          {app.close}
        </button>
      </div>
    </Dialog>
  );
}
