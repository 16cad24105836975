import { useMemberActsTexts } from "../i18n/hooks/use-member-acts-texts.ts";
import { useShownTexts } from "../i18n/hooks/use-shown-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { avatarKey } from "../model/profiles/avatars.ts";
import type { OpenCard } from "../session/open-dialog.ts";
import { useLevel, useParley } from "../session/parley-context.ts";
import { useModerates } from "../session/use-moderates.ts";
import { useLookup } from "../state/lookup.ts";
import { useStore } from "../state/store.ts";
import { BlockButton } from "./block-button.tsx";
import { isMutedNow } from "./is-muted-now.ts";

const HOUR_MS = 3_600_000;

interface Props {
  card: OpenCard;
  close(): void;
}

/** The actions available on a person or agent. `talks`: they have direct conversations with the user. */
export function PersonMenu({ card, talks, close }: Props & { talks: boolean }) {
  const parley = useParley();
  const { people: texts, messages, account } = useTexts();
  const level = useLevel();
  const { kind, name, channelId, message } = card;
  const act = (what: () => void) => () => {
    close();
    what();
  };
  const mention = (id: number) =>
    parley.channelSession(id).composeState.insert.set({ text: `@${name.replaceAll(" ", "_")} ` });
  return (
    <div className="menu">
      {channelId !== null && (
        <button type="button" onClick={act(() => mention(channelId))}>
          {texts.mention}
        </button>
      )}
      {talks && (
        <button type="button" onClick={act(() => void parley.openDirect(kind, name))}>
          {texts.message}
        </button>
      )}
      {message !== undefined && (
        <button type="button" onClick={act(() => parley.openDialog.set({ window: "report", message }))}>
          {messages.report}
        </button>
      )}
      <BlockButton kind={kind} name={name} onPress={close} />
      {channelId !== null && <ModerationEntries card={card} channelId={channelId} close={close} />}
      {level > 0 && kind === "user" && <ClearProfile name={name} close={close} />}
      {level > 0 && (
        <button type="button" onClick={act(() => parley.openDialog.set({ window: "admin" }))}>
          {account.administration}
        </button>
      )}
    </div>
  );
}

/** Removes what a person shows beside their username, if they show anything. */
function ClearProfile({ name, close }: { name: string; close(): void }) {
  const parley = useParley();
  const texts = useShownTexts();
  if (useLookup(parley.profiles, avatarKey(name)) == null) return null;
  const clear = async () => {
    close();
    if (!(await parley.confirm.ask({ title: texts.remove, text: texts.removeSure(name), action: texts.remove })))
      return;
    try {
      await parley.client.accounts.clearProfile(name);
      parley.notices.say(texts.removed(name));
    } catch (error) {
      parley.showError(error);
    }
  };
  return (
    <button type="button" className="danger" onClick={() => void clear()}>
      {texts.remove}
    </button>
  );
}

/** Changes to the membership, for those who manage the channel. */
function ModerationEntries({ card, channelId, close }: Props & { channelId: number }) {
  const parley = useParley();
  const acts = useMemberActsTexts();
  const { people: texts } = useTexts();
  const manages = useModerates(channelId);
  const channel = useStore(parley.channels.view).channels.find(({ id }) => id === channelId);
  const { kind, name, member, onChanged } = card;
  const { channels } = parley.client;
  if (channel === undefined || channel.is_direct || !manages) return null;
  const isMuted = member !== undefined && isMutedNow(member);
  const action = (what: () => Promise<unknown>) => () => {
    close();
    what().then(onChanged, (error: unknown) => parley.showError(error));
  };
  const set = (body: Parameters<typeof channels.setMember>[2]) =>
    action(() => channels.setMember(channelId, name, body));
  const muteUntil = () => new Date(Date.now() + HOUR_MS).toISOString();
  const kick = async () => {
    if (!(await parley.confirm.ask({ title: acts.kick, text: acts.kickSure(name), action: acts.kickAct(name) })))
      return;
    await channels.removeMember(channelId, name);
  };
  const ban = async () => {
    if (!(await parley.confirm.ask({ title: acts.ban, text: acts.banSure(name), action: acts.banAct(name) }))) return;
    await channels.ban(channelId, kind === "agent" ? { agent_name: name } : { username: name });
  };
  const entry = (label: string, onClick: () => void, className?: string) => (
    <button type="button" className={className} onClick={onClick}>
      {label}
    </button>
  );
  return (
    <>
      {member?.role === "member" && kind === "user" && entry(acts.makeAdmin, set({ role: "admin" }))}
      {member?.role === "admin" && entry(acts.makeMember, set({ role: "member" }))}
      {member?.role !== "owner" && (
        <>
          {entry(isMuted ? texts.unmute : texts.mute, set({ muted_until: isMuted ? null : muteUntil() }))}
          {entry(acts.kick, action(kick), "danger")}
          {entry(acts.ban, action(ban), "danger")}
        </>
      )}
    </>
  );
}
