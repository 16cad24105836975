import { useTexts } from "../i18n/use-texts.ts";
import { presenceKey } from "../model/presence.ts";
import { useParley } from "../session/parley-context.ts";
import { useLookup } from "../state/lookup.ts";

/** Marks a person who is online. */
export function PresenceDot({ name }: { name: string }) {
  const { people: texts } = useTexts();
  const isOnline = useLookup(useParley().presence.online, presenceKey(name)) === true;
  if (!isOnline) return null;
  return (
    <span className="presence" title={texts.isOnline}>
      <span className="visually-hidden">{texts.isOnline}</span>
    </span>
  );
}
