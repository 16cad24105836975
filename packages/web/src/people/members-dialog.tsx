import type { Channel, Member } from "@parley/protocol/models";
import type { Ban } from "@parley/protocol/moderation";
import { type FormEvent, useCallback, useEffect, useState } from "react";
import { useMemberActsTexts } from "../i18n/hooks/use-member-acts-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import type { ChannelSession } from "../model/channel-session.ts";
import { useParley } from "../session/parley-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { formValue } from "../ui/form-value.ts";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";
import { Name } from "./avatar.tsx";
import { PersonEntry } from "./person-entry.tsx";

const PAGE = 100;

/** The members of a channel, and the banned users. */
export function MembersDialog({
  channelSession,
  channel,
  onClose,
}: {
  channelSession: ChannelSession;
  channel: Channel;
  onClose(): void;
}) {
  const parley = useParley();
  const { channels: texts, app, messages } = useTexts();
  const { channels } = parley.client;
  const action = useAction();
  const [members, setMembers] = useState<readonly Member[]>([]);
  const [next, setNext] = useState<number | null>(null);
  const [bans, setBans] = useState<readonly Ban[]>([]);
  const manages = !channel.is_direct && (channel.my_role === "owner" || channel.my_role === "admin");
  const load = useCallback(async () => {
    try {
      const page = await channels.members(channel.id, { limit: PAGE });
      setMembers(page.members);
      setNext(page.next_offset);
      if (manages) setBans((await channels.bans(channel.id)).bans);
    } catch (error) {
      parley.showError(error);
    }
  }, [parley, channels, channel.id, manages]);
  useEffect(() => void load(), [load]);
  // A mention is written in the composer, which the dialog covers.
  useEffect(() => channelSession.composeState.insert.subscribe(onClose), [channelSession, onClose]);
  const more = () =>
    action.run(async () => {
      const page = await channels.members(channel.id, { limit: PAGE, offset: next ?? 0 });
      setMembers((all) => [...all, ...page.members]);
      setNext(page.next_offset);
    });
  const add = async (name: string) => {
    const isDone = await action.run(() => channels.setMember(channel.id, name));
    if (isDone) await load();
    return isDone;
  };
  const lift = (name: string) => action.run(() => channels.liftBan(channel.id, name)).then(load);
  return (
    <Dialog title={texts.members} onClose={onClose}>
      {manages && <AddMember isBusy={action.isBusy} onAdd={add} />}
      <ErrorLine text={action.error} />
      <ul className="people">
        {members.map((member) => (
          <PersonEntry
            key={`${member.kind} ${member.name}`}
            name={member.name}
            kind={member.kind}
            channelSession={channelSession}
            channel={channel}
            member={member}
            onChanged={load}
          />
        ))}
      </ul>
      {next !== null && (
        <button type="button" className="secondary" disabled={action.isBusy} onClick={more}>
          {messages.moreResults}
        </button>
      )}
      {bans.length > 0 && <Bans bans={bans} onLift={lift} />}
      <button type="button" className="secondary" onClick={onClose}>
        {app.close}
      </button>
    </Dialog>
  );
}

function AddMember({ isBusy, onAdd }: { isBusy: boolean; onAdd(name: string): Promise<boolean> }) {
  const acts = useMemberActsTexts();
  const { people } = useTexts();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (await onAdd(formValue(form, "name").trim())) form.reset();
  };
  return (
    <form className="row end" onSubmit={submit}>
      <Field label={people.add} name="name" placeholder={acts.addHint} maxLength={32} autoComplete="off" required />
      <button type="submit" disabled={isBusy}>
        {acts.addButton}
      </button>
    </form>
  );
}

function Bans({ bans, onLift }: { bans: readonly Ban[]; onLift(name: string): void }) {
  const acts = useMemberActsTexts();
  return (
    <>
      <h3>{acts.bans}</h3>
      <ul className="people">
        {bans.map((ban) => (
          <li key={`${ban.kind} ${ban.name}`} className="person">
            <Name name={ban.name} isAgent={ban.kind === "agent"} />
            <button type="button" className="secondary" onClick={() => onLift(ban.name)}>
              {acts.unban}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
