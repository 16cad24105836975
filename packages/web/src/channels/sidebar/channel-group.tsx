import { useState } from "react";
import { useTexts } from "../../i18n/use-texts.ts";
import type { ChannelGroup as Group } from "../../model/channel-groups.ts";
import { useSelf } from "../../session/parley-context.ts";
import { readStored, writeStored } from "../../state/local-storage.ts";
import { ChevronIcon, PlusIcon } from "../../ui/icons.tsx";
import { ChannelLink } from "./channel-link.tsx";
import { IconButton } from "./icon-button.tsx";
import { ListOptions } from "./list-options.tsx";

/** The "+" beside a group's title. */
export interface Maker {
  label: string;
  act(): void;
}

interface Props {
  group: Group;
  create: Maker | undefined;
}

/** A part of the list. While it is collapsed, it shows only the open channel and unread ones. */
export function ChannelGroup({ group: { key, kind, name, channels }, create }: Props) {
  const texts = useTexts();
  const self = useSelf();
  const [isCollapsed, setCollapsed] = useCollapsed(key);
  const titles = {
    favourites: texts.sidebar.favourites,
    section: name ?? "",
    mine: texts.channels.mine,
    direct: texts.channels.direct,
    others: texts.channels.others,
  };
  return (
    <section className="group">
      <div className="group-head">
        <h2>
          <button
            type="button"
            className="collapse"
            aria-expanded={!isCollapsed}
            onClick={() => setCollapsed(!isCollapsed)}
          >
            <ChevronIcon />
            <bdi>{titles[kind]}</bdi>
          </button>
        </h2>
        {kind === "mine" && self !== null && <ListOptions />}
        {create !== undefined && (
          <IconButton label={create.label} onPress={create.act}>
            <PlusIcon />
          </IconButton>
        )}
      </div>
      <ul>
        {channels.map((channel) => (
          <ChannelLink key={channel.id} channel={channel} isCollapsed={isCollapsed} />
        ))}
      </ul>
    </section>
  );
}

/** Whether the group is collapsed in this browser. */
function useCollapsed(key: string) {
  const [isCollapsed, set] = useState(() => readStored(`collapsed.${key}`) !== null);
  const setCollapsed = (isNow: boolean) => {
    writeStored(`collapsed.${key}`, isNow ? "yes" : null);
    set(isNow);
  };
  return [isCollapsed, setCollapsed] as const;
}
