import { useTexts } from "../i18n/use-texts.ts";
import { presenceKey } from "../model/profiles/presence.ts";
import { useParley } from "../session/parley-context.ts";
import { useLookup } from "../state/lookup.ts";

/** True while the person is online; false for null. */
export function usePresence(name: string | null): boolean {
  return useLookup(useParley().presence.online, name === null ? null : presenceKey(name)) === true;
}

/** Marks a person who is online. */
export function PresenceDot({ name }: { name: string }) {
  const { people: texts } = useTexts();
  if (!usePresence(name)) return null;
  return (
    <span className="presence" title={texts.isOnline}>
      <span className="visually-hidden">{texts.isOnline}</span>
    </span>
  );
}
