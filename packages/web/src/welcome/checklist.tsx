import type { SetupSteps } from "@parley/protocol/site";
import { useEffect, useState } from "react";
import { useWelcomeTexts } from "../i18n/hooks/use-welcome-texts.ts";
import type { OpenDialog } from "../session/open-dialog.ts";
import { useParley } from "../session/parley-context.ts";
import { CheckIcon, CloseIcon } from "../ui/icons.tsx";
import { setChecklistDone } from "./checklist-state.ts";
import { useSetupSteps } from "./use-setup-steps.ts";

const STEPS: readonly { step: keyof SetupSteps; opens: OpenDialog }[] = [
  { step: "people", opens: { window: "invite" } },
  { step: "agent", opens: { window: "new agent" } },
  { step: "channel", opens: { window: "new channel" } },
];

/** The first steps of the site's owner, until they are done or the owner hides the list. */
export function Checklist({ self, channelId }: { self: string; channelId: number }) {
  const parley = useParley();
  const { steps: texts } = useWelcomeTexts();
  const steps = useSetupSteps(channelId);
  const [isHidden, setHidden] = useState(false);
  const done = steps === null ? 0 : STEPS.filter(({ step }) => steps[step]).length;
  const isComplete = done === STEPS.length;
  const hide = () => {
    setChecklistDone(self);
    setHidden(true);
  };
  useEffect(() => {
    if (isComplete) setChecklistDone(self);
  }, [isComplete, self]);
  if (steps === null || isHidden || isComplete) return null;
  return (
    <section className="first-steps" aria-labelledby="first-steps">
      <header>
        <h4 id="first-steps">{texts.title}</h4>
        <span className="hint">{texts.progress(done, STEPS.length)}</span>
        <button type="button" className="icon-button" aria-label={texts.dismiss} title={texts.dismiss} onClick={hide}>
          <CloseIcon />
        </button>
      </header>
      <ul>
        {STEPS.map(({ step, opens }) => (
          <li key={step} data-done={steps[step] ? "" : undefined}>
            <span className="tick" role="img" aria-label={steps[step] ? texts.done : texts.open}>
              {steps[step] && <CheckIcon />}
            </span>
            <div>
              <strong>{texts[step].title}</strong>
              {!steps[step] && <p className="hint">{texts[step].hint}</p>}
            </div>
            {!steps[step] && (
              <button type="button" className="secondary" onClick={() => parley.openDialog.set(opens)}>
                {texts[step].act}
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
