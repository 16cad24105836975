import type { Receipt } from "@parley/protocol/card-calls";
import { useState } from "react";
import { useCardTexts } from "../../i18n/hooks/use-card-texts.ts";
import { useParley } from "../../session/parley-context.ts";
import { saveFile } from "../../ui/save-export.ts";
import { ErrorLine } from "../../ui/submit.tsx";
import { useAction } from "../../ui/use-action.ts";

/** The server's signed word on how a card ended, which is read when somebody opens it. */
export function ReceiptView({ interactionId }: { interactionId: number }) {
  const parley = useParley();
  const { receipt: texts } = useCardTexts();
  const action = useAction();
  const [receipt, setReceipt] = useState<Receipt | null | undefined>(undefined);
  const read = () =>
    void action.run(async () => setReceipt((await parley.client.interactions.get(interactionId)).receipt));
  return (
    <details
      className="receipt"
      onToggle={({ currentTarget }) => currentTarget.open && receipt === undefined && read()}
    >
      <summary>{texts.show}</summary>
      <ErrorLine text={action.error} />
      {receipt === null && <p>{texts.none}</p>}
      {receipt != null && (
        <>
          <p>{texts.about}</p>
          <dl>
            <dt>{texts.signed}</dt>
            <dd>
              <code>{receipt.signed}</code>
            </dd>
            <dt>{texts.signature}</dt>
            <dd>
              <code>{receipt.signature}</code>
            </dd>
            <dt>{texts.key}</dt>
            <dd>
              <code>{receipt.key_id}</code>
            </dd>
          </dl>
          <button type="button" className="secondary" onClick={() => save(receipt, interactionId)}>
            {texts.save}
          </button>
        </>
      )}
    </details>
  );
}

function save(receipt: Receipt, interactionId: number): void {
  const text = `${JSON.stringify(receipt, null, 2)}\n`;
  saveFile(new Blob([text], { type: "application/json" }), `receipt-${interactionId}.json`);
}
