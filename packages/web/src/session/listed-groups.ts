import { useMemo } from "react";
import { type ChannelGroup, groupsOf } from "../model/channel-groups.ts";
import { useStore } from "../state/store.ts";
import type { Parley } from "./parley.ts";
import { useParley } from "./parley-context.ts";

/** Returns the channels as the sidebar lists them now. */
export function listedGroups(parley: Parley): ChannelGroup[] {
  const { sidebar, activity } = parley.calls.preferences;
  return groupsOf({
    channels: parley.channels.view.get().channels,
    sidebar: sidebar.get(),
    activity: activity.get(),
    isGuest: parley.self === null,
    language: parley.preferences.language.get(),
  });
}

/** Returns the same, kept up to date. */
export function useListedGroups(): ChannelGroup[] {
  const parley = useParley();
  const { sidebar, activity } = parley.calls.preferences;
  const channels = useStore(parley.channels.view);
  const [placed, active] = [useStore(sidebar), useStore(activity)];
  const session = useStore(parley.session);
  const language = useStore(parley.preferences.language);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `listedGroups` reads these stores
  return useMemo(() => listedGroups(parley), [parley, channels, placed, active, session, language]);
}
