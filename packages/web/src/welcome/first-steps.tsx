import { lazy } from "../session/lazy.tsx";
import { useLevel, useSelf } from "../session/parley-context.ts";
import { useSite } from "../session/use-site.ts";
import { isChecklistDone } from "./checklist-state.ts";

const OWNER = 3;

const Checklist = lazy(async () => (await import("./checklist.tsx")).Checklist);
const OwnerHint = lazy(async () => (await import("./owner-hint.tsx")).OwnerHint);

/** Shows how to make the first owner of a new site, or the owner what to do first. Most people see nothing here. */
export function FirstSteps({ channelId }: { channelId: number }) {
  const self = useSelf();
  const level = useLevel();
  const site = useSite();
  if (site?.needs_owner === true) return <OwnerHint />;
  if (self === null || level < OWNER || isChecklistDone(self)) return null;
  return <Checklist key={self} self={self} channelId={channelId} />;
}
