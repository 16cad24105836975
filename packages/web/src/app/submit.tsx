import type { ReactNode } from "react";
import type { Act } from "./use-act.ts";

/** Why something failed, where it was done; read out when it appears. Takes no room while `text` is null. */
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
  /** What the button says. */
  children: ReactNode;
}

/** The end of a form: why it failed, and the button that does it, once at a time. */
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
