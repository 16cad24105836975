import type { NotificationNotice } from "@parley/protocol/notifications";
import { KeyClaims } from "@parley/sdk/groups";
import { usePanelTexts } from "../i18n/hooks/use-panel-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";

/** Says who exchanged a setup code, and revokes the key that they got. */
export function UndoSetup({ notice, onDone }: { notice: NotificationNotice; onDone(): void }) {
  const parley = useParley();
  const texts = usePanelTexts();
  const action = useAction();
  const [keyId = "", network = "", ...program] = notice.detail?.split(" ") ?? [];
  const revoke = async () => {
    const isDone = await action.run(async () => {
      await parley.client.group(KeyClaims).revoke(keyId);
    });
    if (!isDone) return;
    parley.notices.say(texts.keyRevoked);
    onDone();
  };
  return (
    <div className="undo">
      <span className="muted">{texts.claimedFrom(network, program.join(" "))}</span>
      <button type="button" className="secondary danger" disabled={action.isBusy} onClick={() => void revoke()}>
        {texts.revokeKey}
      </button>
      <ErrorLine text={action.error} />
    </div>
  );
}
