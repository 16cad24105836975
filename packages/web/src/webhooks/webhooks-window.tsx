import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import type { HookOwner } from "../session/open-dialog.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Incoming } from "./incoming.tsx";
import { Outgoing } from "./outgoing.tsx";

/** The webhooks of a channel, in both directions, or those of an agent. */
export function WebhooksWindow({ owner, onClose }: { owner: HookOwner; onClose(): void }) {
  const { webhooks: texts } = useWindowTexts();
  return (
    <Dialog title={texts.titleOf(owner.name)} onClose={onClose}>
      {"channel_id" in owner && <Incoming channelId={owner.channel_id} />}
      <Outgoing owner={owner} />
    </Dialog>
  );
}
