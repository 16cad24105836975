import type { UpdateChannelBody } from "@parley/protocol/channels";
import { CHANNEL_PASSWORD_MIN, CHANNEL_TEXTS, type ChannelText } from "@parley/protocol/limits";
import type { Channel } from "@parley/protocol/models";
import type { Price } from "@parley/protocol/price";
import { type FormEvent, useState } from "react";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { labelOf } from "../model/channel-groups.ts";
import { useParley } from "../session/parley-context.ts";
import { HOME_HREF } from "../state/route.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Field, TextArea } from "../ui/field.tsx";
import { ErrorLine, Submit } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";
import { ApprovalRuleForm } from "./channel-approval-rule.tsx";
import { Ownership } from "./channel-ownership.tsx";
import { Retention } from "./channel-retention.tsx";
import { PolicySelect } from "./policy-select.tsx";
import { PriceFields } from "./price-fields.tsx";

const TEXTS = Object.keys(CHANNEL_TEXTS) as ChannelText[];

/** The settings of a channel, for its owner and admins, and the button to leave it, for everyone. */
export function ChannelSettings({ channel, onClose }: { channel: Channel; onClose(): void }) {
  const parley = useParley();
  const { channels: texts } = useTexts();
  const { channel: windowTexts, channelSettings, webhooks: webhookTexts } = useWindowTexts();
  const action = useAction();
  const name = labelOf(channel);
  const isOwner = channel.my_role === "owner" && !channel.is_direct;
  const isManager = isOwner || (channel.my_role === "admin" && !channel.is_direct);
  const webhooks = () => {
    onClose();
    parley.openDialog.set({ window: "webhooks", owner: { channel_id: channel.id, name } });
  };
  const leave = async () => {
    const text = channel.price === null ? channelSettings.leaveSure(name) : windowTexts.leavePaid(name);
    const question = { title: name, text, action: texts.leave };
    if (!channel.is_direct && !(await parley.confirm.ask(question))) return;
    await action.run(async () => {
      await parley.client.channels.leave(channel.id);
      onClose();
      if (channel.is_direct || channel.is_private) location.hash = HOME_HREF;
      await parley.channels.load();
    });
  };
  const remove = async () => {
    if (!(await parley.confirm.ask({ title: name, text: channelSettings.deleteSure(name), action: texts.delete })))
      return;
    await action.run(async () => {
      await parley.client.channels.delete(channel.id);
      onClose();
      location.hash = HOME_HREF;
      await parley.channels.load();
    });
  };
  return (
    <Dialog title={channelSettings.title(name)} onClose={onClose}>
      {isManager && <SettingsForm channel={channel} onDone={onClose} />}
      {isOwner && <ApprovalRuleForm channel={channel} onDone={onClose} />}
      {isOwner && <Retention channel={channel} onDone={onClose} />}
      {isOwner && <Ownership channel={channel} onDone={onClose} />}
      <ErrorLine text={action.error} />
      <div className="row">
        {isManager && (
          <button type="button" className="secondary" onClick={webhooks}>
            {webhookTexts.title}
          </button>
        )}
        {!isOwner && (
          <button type="button" className="secondary danger" disabled={action.isBusy} onClick={() => void leave()}>
            {channel.is_direct ? channelSettings.closeDirect : texts.leave}
          </button>
        )}
        {isOwner && (
          <button type="button" className="secondary danger" disabled={action.isBusy} onClick={() => void remove()}>
            {texts.delete}
          </button>
        )}
      </div>
    </Dialog>
  );
}

function SettingsForm({ channel, onDone }: { channel: Channel; onDone(): void }) {
  const parley = useParley();
  const { channels: texts, app } = useTexts();
  const { channelSettings } = useWindowTexts();
  const action = useAction();
  /** The price when the form was opened; the channel may be reloaded meanwhile. */
  const [before] = useState(channel.price);
  const [price, setPrice] = useState<Price | null>(before);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const isDone = await action.run(async () => {
      // Omit an unchanged price: the server may no longer accept it.
      const body = price === before ? bodyOf(form) : { ...bodyOf(form), price };
      const { channel: updated } = await parley.client.channels.update(channel.id, body);
      parley.channels.put(updated);
    });
    if (!isDone) return;
    parley.notices.say(channelSettings.saved);
    onDone();
  };
  return (
    <form className="stack" onSubmit={submit}>
      <Field label={texts.name} name="name" defaultValue={channel.name} maxLength={64} required />
      {TEXTS.map((name) => {
        const max = CHANNEL_TEXTS[name];
        const Input = max > 250 ? TextArea : Field;
        return <Input key={name} label={texts[name]} name={name} defaultValue={channel[name] ?? ""} maxLength={max} />;
      })}
      <Field
        label={channelSettings.slug}
        hint={channelSettings.slugHint}
        name="channel_slug"
        defaultValue={channel.channel_slug}
        pattern="[a-z0-9]([a-z0-9\-]*[a-z0-9])?"
        maxLength={64}
        autoCapitalize="none"
        spellCheck={false}
        required
      />
      <Policies channel={channel} />
      <PriceFields price={before} onPrice={setPrice} />
      <Privacy channel={channel} />
      <Submit action={action}>{app.save}</Submit>
    </form>
  );
}

/** Fields for the channel's policies and rate limits. */
function Policies({ channel }: { channel: Channel }) {
  const { channelSettings } = useWindowTexts();
  return (
    <>
      <PolicySelect
        label={channelSettings.pinPolicy}
        name="pin_policy"
        value={channel.pin_policy}
        choices={["admins", "members"]}
      />
      <PolicySelect
        label={channelSettings.postPolicy}
        name="post_policy"
        value={channel.post_policy}
        choices={["everyone", "admins"]}
      />
      <PolicySelect
        label={channelSettings.agentPolicy}
        name="agent_policy"
        value={channel.agent_policy}
        choices={["allow", "mention_only", "deny"]}
      />
      <PolicySelect
        label={channelSettings.hereBy}
        name="here_by"
        value={channel.here_by}
        choices={["members", "admins"]}
      />
      <Field
        label={channelSettings.slowMode}
        name="slow_mode_seconds"
        type="number"
        min={0}
        max={21_600}
        defaultValue={channel.slow_mode_seconds}
      />
      <label className="check">
        <input type="checkbox" name="link_previews" defaultChecked={channel.link_previews} />
        <span>
          {channelSettings.linkPreviews}
          <span className="hint">{channelSettings.linkPreviewsHint}</span>
        </span>
      </label>
    </>
  );
}

/** Fields that decide who can join. */
function Privacy({ channel }: { channel: Channel }) {
  const { channels: texts } = useTexts();
  const { channelSettings } = useWindowTexts();
  const [isPrivate, setPrivate] = useState(channel.is_private);
  return (
    <>
      <label className="check">
        <input
          type="checkbox"
          name="is_private"
          checked={isPrivate}
          onChange={(event) => setPrivate(event.target.checked)}
        />
        <span>
          {texts.private}
          <span className="hint">{channelSettings.privateHint}</span>
        </span>
      </label>
      {isPrivate && (
        <>
          <Field
            label={channelSettings.newPassword}
            hint={channel.has_password ? channelSettings.keepPassword : channelSettings.passwordHint}
            name="password"
            type="password"
            minLength={CHANNEL_PASSWORD_MIN}
            maxLength={128}
            autoComplete="new-password"
          />
          {channel.has_password && (
            <label className="check">
              <input type="checkbox" name="no_password" />
              <span>{channelSettings.removePassword}</span>
            </label>
          )}
        </>
      )}
    </>
  );
}

/** Converts the form to the endpoint's request body. */
function bodyOf(form: FormData): UpdateChannelBody {
  const text = (name: string) => String(form.get(name) ?? "").trim();
  const password = String(form.get("password") ?? "");
  return {
    name: text("name"),
    channel_slug: text("channel_slug"),
    ...Object.fromEntries(TEXTS.map((name) => [name, text(name) || null])),
    pin_policy: text("pin_policy") as NonNullable<UpdateChannelBody["pin_policy"]>,
    post_policy: text("post_policy") as NonNullable<UpdateChannelBody["post_policy"]>,
    agent_policy: text("agent_policy") as NonNullable<UpdateChannelBody["agent_policy"]>,
    here_by: text("here_by") as NonNullable<UpdateChannelBody["here_by"]>,
    slow_mode_seconds: Number(text("slow_mode_seconds")),
    link_previews: form.has("link_previews"),
    is_private: form.has("is_private"),
    ...(form.has("no_password") ? { password: null } : password === "" ? {} : { password }),
  };
}
