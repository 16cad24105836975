import type { Channel, Member } from "@parley/protocol/models";
import type { ActorKind } from "@parley/protocol/values";
import { useTexts } from "../i18n/use-texts.ts";
import type { ChannelSession } from "../model/channel-session.ts";
import type { OpenCard } from "../session/open-dialog.ts";
import { useSelf } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";
import { MoreIcon } from "../ui/icons.tsx";
import { Popover } from "../ui/popover.tsx";
import { Avatar, Name } from "./avatar.tsx";
import { CardOpener } from "./card-opener.tsx";
import { isMutedNow } from "./is-muted-now.ts";
import { PersonCard } from "./person-card.tsx";
import { StatusLine } from "./status.ts";

interface Props {
  name: string;
  kind: ActorKind;
  channelSession: ChannelSession;
  channel: Channel;
  /** The membership, if known; then it can be changed here. */
  member?: Member;
  /** Called when the membership has changed or ended. */
  onChanged?(): void;
}

/** A person or agent in a list, with the actions available. */
export function PersonEntry({ name, kind, channelSession, channel, member, onChanged }: Props) {
  const texts = useTexts();
  const self = useSelf();
  const state = useStore(channelSession.typingUsers.agents).get(name);
  const card: OpenCard = {
    kind,
    name,
    channelId: channel.id,
    anchor: null,
    ...(member === undefined ? {} : { member }),
    ...(onChanged === undefined ? {} : { onChanged }),
  };
  const isMuted = member !== undefined && isMutedNow(member);
  return (
    <li className="person">
      <CardOpener card={card} isPicture>
        <Avatar name={name} isAgent={kind === "agent"} isSmall />
      </CardOpener>
      <span className="person-info">
        <CardOpener card={card}>
          <Name name={name} isAgent={kind === "agent"} />
        </CardOpener>
        {kind === "user" && name === self && <span className="muted">({texts.people.you})</span>}
        {member !== undefined && member.role !== "member" && (
          <span className="role">{texts.people.roles[member.role]}</span>
        )}
        {kind === "user" && <StatusLine name={name} isShort />}
        {isMuted && <span className="role">{texts.people.muted}</span>}
        {kind === "agent" && state !== undefined && (
          <span className={state === "thinking" ? "state thinking" : "state"}>{texts.people.states[state]}</span>
        )}
      </span>
      {self !== null && name !== self && (
        <Popover label={texts.people.actions(name)} button={<MoreIcon />}>
          {(close) => <PersonCard card={card} close={close} />}
        </Popover>
      )}
    </li>
  );
}
