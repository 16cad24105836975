import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useParley } from "../session/parley-context.ts";

/** Opens the dialog that creates an agent, in the place of the open window. */
export function NewAgentButton() {
  const parley = useParley();
  const { newAgent: texts } = useWindowTexts();
  return (
    <button type="button" onClick={() => parley.openDialog.set({ window: "new agent" })}>
      {texts.title}
    </button>
  );
}
