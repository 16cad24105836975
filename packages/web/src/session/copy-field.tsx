import { useId, useRef, useState } from "react";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useKeepSecret } from "./keep-secret.ts";
import { useParley } from "./parley-context.ts";

interface Props {
  label: string;
  value: string;
  hint?: string;
  /** Called when the user has copied it. */
  onCopied?(): void;
}

/** A value to copy. Without clipboard access (plain http) it is selected, so that one key press copies it. */
export function CopyField({ label, value, hint, onCopied }: Props) {
  const id = useId();
  const parley = useParley();
  const { profile: texts } = useWindowTexts();
  const field = useRef<HTMLInputElement>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      onCopied?.();
      parley.notices.say(texts.copied);
    } catch {
      field.current?.select();
      parley.notices.say(texts.notCopied);
    }
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="row end">
        <input
          ref={field}
          id={id}
          value={value}
          readOnly
          onCopy={onCopied}
          // Browsers write other fields to the disk to restore a tab.
          autoComplete="off"
          aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        />
        <button type="button" className="secondary" aria-label={`${texts.copy}: ${label}`} onClick={() => void copy()}>
          {texts.copy}
        </button>
      </div>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      )}
    </div>
  );
}

/** A secret that is shown once. Until it is copied, whoever closes its window is asked. */
export function SecretField(props: Omit<Props, "onCopied">) {
  const { value } = props;
  const [copied, setCopied] = useState<string | null>(null);
  useKeepSecret(copied === value);
  return <CopyField {...props} onCopied={() => setCopied(value)} />;
}
