import { ConfirmAddressDialog } from "../mail/confirm-address-dialog.tsx";
import type { OneUseLink } from "../state/one-use-link.ts";
import { ClaimAccountDialog } from "./claim-account-dialog.tsx";
import { ResetDialog } from "./reset-dialog.tsx";

const WINDOWS = {
  "/reset": ResetDialog,
  "/claim-account": ClaimAccountDialog,
  "/confirm-address": ConfirmAddressDialog,
} as const;

/** The window of a link that works once. */
export function LinkDialog({ link: { path, token }, onClose }: { link: OneUseLink; onClose(): void }) {
  const Shown = WINDOWS[path];
  return <Shown token={token} onClose={onClose} />;
}
