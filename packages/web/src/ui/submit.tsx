import type { ReactNode } from "react";
import type { Action } from "./use-action.ts";

/** An error message beside the action that failed; screen readers announce it. Takes no space while `text` is null. */
export function ErrorLine({ text }: { text: string | null }) {
  return (
    <p className="error" role="alert">
      {text}
    </p>
  );
}

interface Props {
  action: Pick<Action, "isBusy" | "error">;
  className?: string;
  /** The button's label. */
  children: ReactNode;
}

/** The end of a form: its error, and the submit button, disabled while the action runs. */
export function Submit({ action, className, children }: Props) {
  return (
    <>
      <ErrorLine text={action.error} />
      <button type="submit" className={className} disabled={action.isBusy}>
        {children}
      </button>
    </>
  );
}
