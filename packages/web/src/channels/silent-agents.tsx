import type { Channel } from "@parley/protocol/models";
import type { Silence } from "@parley/protocol/silences";
import { useSilenceTexts } from "../i18n/hooks/use-silence-texts.ts";
import { BusyAgents } from "../people/at-work/busy-agents.tsx";
import { groupsOf, SilenceText } from "../people/silence-text.tsx";
import { useSilences } from "../people/use-silences.ts";
import { useLevel, useParley, useSelf } from "../session/parley-context.ts";

/** More lines would cover the conversation. */
const SHOWN = 3;

/** Says above the composer which agents cannot answer, why and until when, with what can be done, and which are busy. */
export function SilentAgents({ channel }: { channel: Channel }) {
  const texts = useSilenceTexts();
  const { silences, reload } = useSilences(channel);
  const groups = groupsOf(silences);
  return (
    // Mounted before it has content, so that screen readers announce it.
    <div className="silent-agents" role="status" aria-label={texts.label}>
      {groups.slice(0, SHOWN).map((group) => (
        <p key={`${group[0]?.reason} ${group[0]?.agent_id}`}>
          <span>
            <SilenceText silences={group} />
          </span>
          <Remedy channel={channel} silences={group} onDone={reload} />
        </p>
      ))}
      {groups.length > SHOWN && <p className="muted">{texts.more(groups.length - SHOWN)}</p>}
      <BusyAgents channel={channel} silences={silences} />
    </div>
  );
}

/** The button of those who may end it: the channel's admins the guard, the agent's owner the rest. */
function Remedy({ channel, silences, onDone }: { channel: Channel; silences: readonly Silence[]; onDone(): void }) {
  const parley = useParley();
  const texts = useSilenceTexts();
  const self = useSelf();
  const level = useLevel();
  const [first] = silences;
  if (first === undefined || self === null) return null;
  if (first.reason === "loop_guard") {
    if (channel.my_role !== "owner" && channel.my_role !== "admin" && level === 0) return null;
    const clear = () =>
      parley.client.channels.clearGuard(channel.id).then(onDone, (error: unknown) => parley.showError(error));
    return (
      <button type="button" className="link" onClick={() => void clear()}>
        {texts.letGoOn}
      </button>
    );
  }
  if (first.owner_username !== self) return null;
  const open = () =>
    parley.openDialog.set({ window: "agents", show: { name: first.agent_name, reason: first.reason } });
  return (
    <button type="button" className="link" onClick={open}>
      {first.reason === "budget" ? texts.changeBudgets : texts.open}
    </button>
  );
}
