import type { ReactNode } from "react";
import type { Act } from "./use-action.ts";

/** An error message beside the action that failed; screen readers announce it. Takes no space while `text` is null. */
export function ErrorLine({ text }: { text: string | null }) {
  return (
    <p className="error" role="alert">
      {text}
    </p>
  );
}

interface Props {
  act: Pick<Act, "isBusy" | "error">;
  className?: string;
  /** The button's label. */
  children: ReactNode;
}

/** The end of a form: its error, and the submit button, disabled while the action runs. */
export function Submit({ act, className, children }: Props) {
  return (
    <>
      <ErrorLine text={act.error} />
      <button type="submit" className={className} disabled={act.isBusy}>
        {children}
      </button>
    </>
  );
}
