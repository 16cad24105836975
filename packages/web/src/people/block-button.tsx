import type { ActorKind } from "@parley/protocol/values";
import { useMemberActsTexts } from "../i18n/hooks/use-member-acts-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";

interface Props {
  kind: ActorKind;
  name: string;
  /** Called when the button is pressed. */
  onPress(): void;
}

/** Blocks or unblocks a user or agent. */
export function BlockButton({ kind, name, onPress }: Props) {
  const parley = useParley();
  const { people: texts } = useTexts();
  const acts = useMemberActsTexts();
  useStore(parley.blocks.all);
  const isBlocked = parley.blocks.has(kind, name);
  const press = () => {
    onPress();
    parley.blocks.set({ kind, name }, !isBlocked).then(
      () => parley.notices.say(isBlocked ? acts.unblocked(name) : texts.blocked(name)),
      (error: unknown) => parley.showError(error),
    );
  };
  return (
    <button type="button" className={isBlocked ? undefined : "danger"} onClick={press}>
      {isBlocked ? texts.unblock : texts.block}
    </button>
  );
}
