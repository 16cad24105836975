import { useState } from "react";
import { useFactorTexts } from "../i18n/hooks/use-factor-texts.ts";
import { useKeepSecret } from "../session/keep-secret.ts";
import { useParley } from "../session/parley-context.ts";
import { saveFile } from "../ui/save-export.ts";

/** Recovery codes, which are shown once, with buttons to copy and download them. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone(): void }) {
  const parley = useParley();
  const texts = useFactorTexts();
  const [isKept, setKept] = useState(false);
  useKeepSecret(isKept);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(codes.join("\n"));
      setKept(true);
      parley.notices.say(texts.copied);
    } catch {
      parley.notices.say(texts.notCopied);
    }
  };
  const text = `${location.host}\n${codes.join("\n")}\n`;
  const save = () => {
    saveFile(new Blob([text], { type: "text/plain" }), "parley-recovery-codes.txt");
    setKept(true);
  };
  return (
    <div className="stack">
      <h4>{texts.recovery}</h4>
      <p className="hint">{texts.recoveryHint}</p>
      <ul className="codes" aria-label={texts.recovery} onCopy={() => setKept(true)}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="row">
        <button type="button" className="secondary" onClick={() => void copy()}>
          {texts.copy}
        </button>
        <button type="button" className="secondary" onClick={save}>
          {texts.download}
        </button>
        <button type="button" onClick={onDone}>
          {texts.done}
        </button>
      </div>
    </div>
  );
}
