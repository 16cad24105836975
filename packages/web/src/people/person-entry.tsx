import type { ActorKind, Channel, Member } from "@parley/protocol/models";
import { useTexts } from "../i18n/use-texts.ts";
import type { ChannelSession } from "../model/channel-session.ts";
import { useParley, useSelf } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";
import { MoreIcon } from "../ui/icons.tsx";
import { Popover } from "../ui/popover.tsx";
import { Avatar, Name } from "./avatar.tsx";
import { BlockButton } from "./block-button.tsx";

const HOUR_MS = 3_600_000;

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
  const isMuted = member !== undefined && member.muted_until !== null && Date.parse(member.muted_until) > Date.now();
  return (
    <li className="person">
      <Avatar name={name} isAgent={kind === "agent"} isSmall />
      <span className="person-info">
        <Name name={name} isAgent={kind === "agent"} />
        {kind === "user" && name === self && <span className="muted">({texts.people.you})</span>}
        {member !== undefined && member.role !== "member" && (
          <span className="role">{texts.people.roles[member.role]}</span>
        )}
        {isMuted && <span className="role">{texts.people.muted}</span>}
        {kind === "agent" && state !== undefined && (
          <span className={state === "thinking" ? "state thinking" : "state"}>{texts.people.states[state]}</span>
        )}
      </span>
      {self !== null && name !== self && (
        <Popover label={texts.people.actions(name)} button={<MoreIcon />}>
          {(close) => (
            <PersonMenu
              name={name}
              kind={kind}
              channelSession={channelSession}
              channel={channel}
              close={close}
              isMuted={isMuted}
              {...(member === undefined ? {} : { member })}
              {...(onChanged === undefined ? {} : { onChanged })}
            />
          )}
        </Popover>
      )}
    </li>
  );
}

function PersonMenu({
  name,
  kind,
  channelSession,
  channel,
  member,
  isMuted,
  close,
  onChanged,
}: Props & { isMuted: boolean; close(): void }) {
  const parley = useParley();
  const { people: texts } = useTexts();
  const session = useStore(parley.session);
  const level = session.state === "user" ? (session.user.admin_level ?? 0) : 0;
  const manages = !channel.is_direct && (channel.my_role === "owner" || channel.my_role === "admin" || level >= 1);
  const { channels } = parley.client;
  const action = (what: () => Promise<unknown>) => () => {
    close();
    what().then(onChanged, (error: unknown) => parley.showError(error));
  };
  const set = (body: Parameters<typeof channels.setMember>[2]) =>
    action(() => channels.setMember(channel.id, name, body));
  const muteUntil = () => new Date(Date.now() + HOUR_MS).toISOString();
  const kick = async () => {
    if (!(await parley.confirm.ask({ title: texts.kick, text: texts.kickSure(name), action: texts.kickAct(name) })))
      return;
    await channels.removeMember(channel.id, name);
  };
  const ban = async () => {
    if (!(await parley.confirm.ask({ title: texts.ban, text: texts.banSure(name), action: texts.banAct(name) })))
      return;
    await channels.ban(channel.id, kind === "agent" ? { agent_name: name } : { username: name });
  };
  const entry = (label: string, onClick: () => void, className?: string) => (
    <button type="button" className={className} onClick={onClick}>
      {label}
    </button>
  );
  return (
    <div className="menu">
      {entry(texts.mention, () => {
        close();
        channelSession.composeState.insert.set({ text: `@${name.replaceAll(" ", "_")} ` });
      })}
      {kind === "user" &&
        entry(
          texts.message,
          action(() => parley.openDirect(name)),
        )}
      <BlockButton kind={kind} name={name} onPress={close} />
      {manages &&
        member !== undefined &&
        member.role === "member" &&
        kind === "user" &&
        entry(texts.makeAdmin, set({ role: "admin" }))}
      {manages && member?.role === "admin" && entry(texts.makeMember, set({ role: "member" }))}
      {manages && member?.role !== "owner" && (
        <>
          {entry(isMuted ? texts.unmute : texts.mute, set({ muted_until: isMuted ? null : muteUntil() }))}
          {entry(texts.kick, action(kick), "danger")}
          {entry(texts.ban, action(ban), "danger")}
        </>
      )}
    </div>
  );
}
