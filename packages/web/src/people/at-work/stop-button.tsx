import type { StopAgentBody } from "@parley/protocol/agent-sessions";
import { useAtWorkTexts } from "../../i18n/hooks/use-at-work-texts.ts";
import { useParley } from "../../session/parley-context.ts";
import { useAction } from "../../ui/use-action.ts";

interface Props {
  channelId: number;
  agentName: string;
  /** What to stop. */
  work: StopAgentBody;
  className: string;
}

/** Stops what an agent does. */
export function StopButton({ channelId, agentName, work, className }: Props) {
  const parley = useParley();
  const texts = useAtWorkTexts();
  const action = useAction();
  const stop = async () => {
    const isDone = await action.run(async () => {
      const { stopped } = await parley.client.channels.stopAgent(channelId, work);
      if (!stopped) parley.notices.say(texts.nothingToStop(agentName));
    });
    if (!isDone) parley.notices.say(texts.mayNotStop(agentName), "error");
  };
  return (
    <button
      type="button"
      className={className}
      aria-label={texts.stopAgent(agentName)}
      aria-busy={action.isBusy}
      // A disabled button would lose the focus of who presses it by the keyboard.
      onClick={() => {
        if (!action.isBusy) void stop();
      }}
    >
      {texts.stop}
    </button>
  );
}
