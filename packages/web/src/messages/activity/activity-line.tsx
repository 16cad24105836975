import type { Activity } from "@parley/protocol/activity";
import { useActivityTexts } from "../../i18n/hooks/use-activity-texts.ts";
import { type ActState, stateOf, stateOfAll, summaryOf } from "./activity-summary.ts";

const MARKS: Readonly<Record<ActState, string>> = { running: "…", ok: "✓", failed: "✗", denied: "⊘", unknown: "?" };

interface Props {
  acts: readonly Activity[];
  /** The agent is still writing. */
  isGrowing: boolean;
}

/** The steps of an agent on the way to its message, in one line that unfolds. It grows while the agent works. */
export function ActivityLine({ acts, isGrowing }: Props) {
  const texts = useActivityTexts();
  const running = acts.findLast((act) => stateOf(act, isGrowing) === "running");
  return (
    <details className="activity">
      <summary>
        <Mark state={stateOfAll(acts, isGrowing)} /> <bdi>{summaryOf(acts, texts)}</bdi>
        {running !== undefined && (
          <>
            {" · "}
            <bdi>{running.title}</bdi>
          </>
        )}
      </summary>
      <ol aria-label={texts.steps}>
        {acts.map((act) => (
          <Act key={act.id} act={act} state={stateOf(act, isGrowing)} />
        ))}
      </ol>
    </details>
  );
}

function Act({ act: { title, target, ms }, state }: { act: Activity; state: ActState }) {
  const texts = useActivityTexts();
  return (
    <li>
      <Mark state={state} />
      <span>
        <bdi>{title}</bdi>
        {target !== undefined && !title.includes(target) && (
          <>
            {" "}
            <bdi className="activity-target">{target}</bdi>
          </>
        )}{" "}
        <span className="muted">
          {texts.states[state]}
          {ms !== undefined && ` · ${texts.seconds((ms / 1_000).toFixed(ms < 10_000 ? 1 : 0))}`}
        </span>
      </span>
    </li>
  );
}

/** The state as a sign; words beside it say the same. */
function Mark({ state }: { state: ActState }) {
  return (
    <span className="activity-mark" data-state={state} aria-hidden="true">
      {MARKS[state]}
    </span>
  );
}
