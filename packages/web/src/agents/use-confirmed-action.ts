import { ParleyError } from "@parley/sdk";
import { type RefObject, useEffect, useRef, useState } from "react";
import { UserFacingError } from "../i18n/user-facing-error.ts";
import { useWindowTexts } from "../i18n/window-texts.ts";
import { formValue } from "../ui/form-value.ts";
import { type Action, useAction } from "../ui/use-action.ts";

interface ConfirmedAction extends Pick<Action, "isBusy" | "error"> {
  form: RefObject<HTMLFormElement | null>;
  /** True once the server has demanded the password: the form then shows the field `current`. */
  needsPassword: boolean;
  /** Runs a call with the password, if it is in the form; true if it succeeded. */
  run(call: (password: string | undefined) => Promise<unknown>): Promise<boolean>;
}

/** The action of a form for which an old session must confirm with the user's password. It asks only then. */
export function useConfirmedAction(): ConfirmedAction {
  const { newAgent: texts } = useWindowTexts();
  const action = useAction();
  const form = useRef<HTMLFormElement>(null);
  const [needsPassword, setNeedsPassword] = useState(false);
  useEffect(() => {
    if (needsPassword) form.current?.querySelector<HTMLInputElement>("[name=current]")?.focus();
  }, [needsPassword]);
  return {
    form,
    needsPassword,
    isBusy: action.isBusy,
    error: action.error,
    run: (call) =>
      action.run(async () => {
        const typed = form.current === null ? "" : formValue(form.current, "current");
        try {
          await call(typed === "" ? undefined : typed);
        } catch (error) {
          if (!(error instanceof ParleyError && error.code === "reauth_required")) throw error;
          setNeedsPassword(true);
          throw typed === "" ? new UserFacingError(texts.confirm) : error;
        }
      }),
  };
}
