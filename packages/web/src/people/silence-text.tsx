import type { Silence } from "@parley/protocol/silences";
import { clockOf, momentOf } from "../i18n/date-format.ts";
import { type SilenceTexts, useSilenceTexts } from "../i18n/hooks/use-silence-texts.ts";

/** Says why agents cannot answer, all of them for the same reason, and what waits for them. */
export function SilenceText({ silences }: { silences: readonly Silence[] }) {
  const texts = useSilenceTexts();
  const [first] = silences;
  if (first === undefined) return null;
  const names = silences.map(({ agent_name }) => agent_name).join(", ");
  const waiting = silences.reduce((sum, { waiting }) => sum + waiting, 0);
  const { budget } = first;
  return (
    <>
      <bdi>{sentence(first, names, texts)}</bdi>
      {budget !== undefined && (
        <> {texts.left(texts.budgets[budget.budget], String(budget.remaining), String(budget.limit))}</>
      )}
      {waiting > 0 && <> {texts.waiting(waiting)}</>}
    </>
  );
}

function sentence({ reason, since, until }: Silence, names: string, texts: SilenceTexts): string {
  const time = until === null ? "" : shortMoment(until);
  if (reason === "loop_guard") return texts.loopGuard(names, time);
  if (reason === "budget") return texts.budget(names, time);
  if (reason === "paused") return texts.paused(names);
  return texts.away(names, since === null ? "" : shortMoment(since));
}

/** Returns a time of today as a time, any other with its day. */
export const shortMoment = (time: string): string =>
  new Date(time).toDateString() === new Date().toDateString() ? clockOf(time) : momentOf(time);

/** Returns the silences in groups with one reason each: the agents that the guard stops have one line together. */
export function groupsOf(silences: readonly Silence[]): Silence[][] {
  const stopped = silences.filter(({ reason }) => reason === "loop_guard");
  const others = silences.filter(({ reason }) => reason !== "loop_guard").map((silence) => [silence]);
  return stopped.length === 0 ? others : [stopped, ...others];
}
