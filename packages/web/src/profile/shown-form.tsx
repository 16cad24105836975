import { DISPLAY_NAME_MAX, STATUS_TEXT_MAX } from "@parley/protocol/profiles";
import { type FormEvent, useState } from "react";
import { EmojiPicker } from "../emoji/emoji-picker.tsx";
import { momentOf } from "../i18n/date-format.ts";
import { useShownTexts } from "../i18n/hooks/use-shown-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { Field } from "../ui/field.tsx";
import { formValue } from "../ui/form-value.ts";
import { CloseIcon, SmileIcon } from "../ui/icons.tsx";
import { Popover } from "../ui/popover.tsx";
import { Section } from "../ui/section.tsx";
import { Select } from "../ui/select.tsx";
import { Submit } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";
import type { ProfilePartProps } from "./own-user.ts";
import { type End, endOf } from "./status-end.ts";

/** The user's display name, and a status with its end. */
export function ShownForm({ user, onUser }: ProfilePartProps) {
  const parley = useParley();
  const texts = useShownTexts();
  const action = useAction();
  const { display_name, status } = user;
  const [emoji, setEmoji] = useState(status?.emoji ?? null);
  const end = status?.expires_at ?? null;
  const save = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const text = formValue(form, "status").trim();
    const chosen = formValue(form, "end");
    const expires_at = chosen === "keep" ? end : endOf(chosen as End, new Date());
    const body = {
      display_name: formValue(form, "display_name").trim() || null,
      status: text === "" && emoji === null ? null : { emoji, text, expires_at },
    };
    const isDone = await action.run(async () =>
      onUser((await parley.client.accounts.updateUser(user.username, body)).user),
    );
    if (isDone) parley.notices.say(texts.saved);
  };
  const clear = () =>
    action.run(async () => {
      onUser((await parley.client.accounts.updateUser(user.username, { status: null })).user);
      setEmoji(null);
    });
  const ends = end === null ? texts.end : { keep: texts.keep(momentOf(end)), ...texts.end };
  return (
    <Section title={texts.title}>
      <form className="stack" onSubmit={save} key={JSON.stringify([display_name, status])}>
        <Field
          label={texts.displayName}
          hint={texts.displayNameHint(user.username)}
          name="display_name"
          dir="auto"
          maxLength={DISPLAY_NAME_MAX}
          autoComplete="off"
          defaultValue={display_name ?? ""}
        />
        <div className="row end status-fields">
          <Popover label={texts.emoji} button={emoji === null ? <SmileIcon /> : <span className="emoji">{emoji}</span>}>
            {(close) => (
              <EmojiPicker
                isUnicodeOnly
                label={(name) => name}
                onPick={(text) => {
                  setEmoji(text);
                  close();
                }}
              />
            )}
          </Popover>
          {emoji !== null && (
            <button type="button" className="icon-button" aria-label={texts.noEmoji} onClick={() => setEmoji(null)}>
              <CloseIcon />
            </button>
          )}
          <Field
            label={texts.status}
            placeholder={texts.statusText}
            name="status"
            dir="auto"
            maxLength={STATUS_TEXT_MAX}
            autoComplete="off"
            required={emoji !== null}
            defaultValue={status?.text ?? ""}
          />
        </div>
        <Select label={texts.ends} name="end" choices={ends} defaultValue={end === null ? "never" : "keep"} />
        <div className="row">
          <Submit action={action}>{texts.save}</Submit>
          {status !== null && (
            <button type="button" className="secondary" disabled={action.isBusy} onClick={() => void clear()}>
              {texts.clear}
            </button>
          )}
        </div>
      </form>
    </Section>
  );
}
