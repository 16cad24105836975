import { CHANNEL_PASSWORD_MIN } from "@parley/protocol/limits";
import { type FormEvent, useState } from "react";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { channelHref } from "../state/route.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { formValue } from "../ui/form-value.ts";
import { Submit } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";

/** Creates a channel and opens it. */
export function CreateChannel({ onClose }: { onClose(): void }) {
  const parley = useParley();
  const texts = useTexts();
  const { channelSettings } = useWindowTexts();
  const action = useAction();
  const [isPrivate, setPrivate] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    await action.run(async () => {
      const { channel } = await parley.client.channels.create({
        name: formValue(form, "name").trim(),
        topic: formValue(form, "topic").trim() || null,
        is_private: isPrivate,
        password: isPrivate ? formValue(form, "password") || null : null,
      });
      parley.channels.put(channel);
      onClose();
      location.hash = channelHref(channel.channel_slug);
    });
  };
  return (
    <Dialog title={channelSettings.createTitle} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <Field label={texts.channels.name} name="name" maxLength={64} autoComplete="off" required />
        <Field label={texts.channels.topic} name="topic" maxLength={250} autoComplete="off" />
        <label className="check">
          <input type="checkbox" checked={isPrivate} onChange={(event) => setPrivate(event.target.checked)} />
          <span>
            {texts.channels.private}
            <span className="hint">{channelSettings.privateHint}</span>
          </span>
        </label>
        {isPrivate && (
          <Field
            label={channelSettings.passwordOptional}
            hint={channelSettings.passwordHint}
            name="password"
            type="password"
            autoComplete="new-password"
            minLength={CHANNEL_PASSWORD_MIN}
            maxLength={128}
          />
        )}
        <Submit action={action}>{texts.channels.create}</Submit>
      </form>
    </Dialog>
  );
}
