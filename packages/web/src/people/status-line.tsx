import { useEffect, useReducer } from "react";
import { momentOf } from "../i18n/date-format.ts";
import { useShownTexts } from "../i18n/hooks/use-shown-texts.ts";
import { avatarKey } from "../model/profiles/avatars.ts";
import { useParley } from "../session/parley-context.ts";
import { useLookup } from "../state/lookup.ts";

/** Timers cannot wait longer. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** A person's status, until its end: nothing reports that. `isShort`: without its end, in a list. */
export function StatusLine({ name, isShort = false }: { name: string; isShort?: boolean }) {
  const texts = useShownTexts();
  const status = useLookup(useParley().profiles, avatarKey(name))?.status ?? null;
  const end = status?.expires_at == null ? null : Date.parse(status.expires_at);
  const [, draw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    if (end === null || end <= Date.now()) return;
    const timer = setTimeout(draw, Math.min(end - Date.now() + 1, TIMER_MAX_MS));
    return () => clearTimeout(timer);
  });
  if (status === null || (end !== null && end <= Date.now())) return null;
  return (
    <span className="person-status" title={isShort ? status.text : undefined}>
      <span className="visually-hidden">{texts.status}: </span>
      {status.emoji !== null && <span className="emoji">{status.emoji}</span>} <bdi>{status.text}</bdi>
      {!isShort && status.expires_at !== null && (
        <span className="muted"> · {texts.until(momentOf(status.expires_at))}</span>
      )}
    </span>
  );
}
