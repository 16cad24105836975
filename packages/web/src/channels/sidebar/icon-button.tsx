import type { ReactNode } from "react";

/** A button with an icon; the label is also its tooltip. */
export function IconButton({ label, onPress, children }: { label: string; onPress(): void; children: ReactNode }) {
  return (
    <button type="button" className="icon-button" aria-label={label} title={label} onClick={onPress}>
      {children}
    </button>
  );
}
