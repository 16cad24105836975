import type { OneUseLink } from "../state/one-use-link.ts";
import { ClaimAccountDialog } from "./claim-account-dialog.tsx";
import { ResetDialog } from "./reset-dialog.tsx";

/** The window of a link that works once. */
export function LinkDialog({ link: { path, token }, onClose }: { link: OneUseLink; onClose(): void }) {
  const Shown = path === "/reset" ? ResetDialog : ClaimAccountDialog;
  return <Shown token={token} onClose={onClose} />;
}
