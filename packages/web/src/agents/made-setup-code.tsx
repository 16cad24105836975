import type { SetupCodeResponse } from "@parley/protocol/setup-codes";
import { useLayoutEffect, useRef } from "react";
import { momentOf } from "../i18n/date-format.ts";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { CopyField } from "../session/copy-field.tsx";
import { QrCode } from "../ui/qr-code.tsx";
import { SetupSnippets } from "./setup-snippets.tsx";
import { TelegramSetup } from "./telegram-setup.tsx";

/** A setup code, which is shown only once: to copy, and as a picture to scan. */
export function MadeSetupCode({ made, onClose }: { made: SetupCodeResponse; onClose(): void }) {
  const { setup: texts, telegram } = useWindowTexts();
  const done = useRef<HTMLParagraphElement>(null);
  // The button that had the focus is gone.
  useLayoutEffect(() => done.current?.focus(), []);
  const { code, setup_url, qr_svg, agent_id } = made;
  const isShown = code !== null && setup_url !== null && qr_svg !== null;
  return (
    <div className="stack">
      <p ref={done} tabIndex={-1}>
        {isShown ? texts.made(momentOf(made.expires_at)) : texts.lost}
      </p>
      {isShown && (
        <>
          <CopyField label={texts.address} value={setup_url} hint={texts.addressHint} />
          <CopyField label={texts.code} value={code} />
          <QrCode svg={qr_svg} label={texts.qr} />
          <SetupSnippets code={code} />
          <p className="hint">{telegram.afterCode}</p>
          {agent_id !== null && <TelegramSetup agentId={agent_id} apiKey={null} />}
        </>
      )}
      <div className="row">
        <button type="button" onClick={onClose}>
          {texts.done}
        </button>
      </div>
    </div>
  );
}
