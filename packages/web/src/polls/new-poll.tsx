import { POLL_OPTION_MAX, POLL_OPTIONS_MAX, POLL_OPTIONS_MIN, POLL_QUESTION_MAX } from "@parley/protocol/poll-limits";
import { Polls } from "@parley/sdk/groups";
import { type FormEvent, useRef, useState } from "react";
import { usePollTexts } from "../i18n/hooks/use-poll-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { CloseIcon } from "../ui/icons.tsx";
import { Select } from "../ui/select.tsx";
import { Submit } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";

const NEVER = "0";

/** Makes a poll in a channel. */
export function NewPoll({ channelId, onClose }: { channelId: number; onClose(): void }) {
  const parley = useParley();
  const texts = usePollTexts();
  const action = useAction();
  const key = useRef(crypto.randomUUID());
  const [options, setOptions] = useState(["", ""]);
  const change = (at: number, text: string) => setOptions(options.with(at, text));
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const closesIn = Number(form.get("closes"));
    await action.run(async () => {
      await parley.client.group(Polls).create({
        channel_id: channelId,
        question: String(form.get("question")),
        options: options.filter((option) => option.trim() !== ""),
        multiple: form.has("multiple"),
        anonymous: form.has("anonymous"),
        ...(closesIn === 0 ? {} : { closes_in: closesIn }),
        client_msg_id: key.current,
      });
      onClose();
      // Whoever is reading further up sees what was sent, as after a message.
      parley.channelSession(channelId).scrollTo(null);
    });
  };
  return (
    <Dialog title={texts.make} onClose={onClose}>
      {/* A changed form is a new poll and needs a new key; resending the same form does not. */}
      <form className="stack new-poll" onSubmit={submit} onChange={() => (key.current = crypto.randomUUID())}>
        <Field
          label={texts.question}
          name="question"
          maxLength={POLL_QUESTION_MAX}
          dir="auto"
          autoComplete="off"
          required
        />
        <fieldset className="stack">
          <legend>{texts.options}</legend>
          {options.map((option, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: An option has no name but its place.
            <div key={at} className="poll-field">
              <input
                aria-label={texts.option(at + 1)}
                placeholder={texts.option(at + 1)}
                value={option}
                maxLength={POLL_OPTION_MAX}
                dir="auto"
                autoComplete="off"
                required={at < POLL_OPTIONS_MIN}
                onChange={(event) => change(at, event.target.value)}
              />
              {options.length > POLL_OPTIONS_MIN && (
                <button
                  type="button"
                  className="icon-button"
                  aria-label={texts.removeOption(at + 1)}
                  title={texts.removeOption(at + 1)}
                  onClick={() => setOptions(options.toSpliced(at, 1))}
                >
                  <CloseIcon />
                </button>
              )}
            </div>
          ))}
          {options.length < POLL_OPTIONS_MAX && (
            <button type="button" className="secondary" onClick={() => setOptions([...options, ""])}>
              {texts.addOption}
            </button>
          )}
        </fieldset>
        <label className="check">
          <input type="checkbox" name="multiple" /> {texts.multiple}
        </label>
        <label className="check">
          <input type="checkbox" name="anonymous" /> {texts.anonymous}
        </label>
        <Select label={texts.closes} name="closes" choices={texts.times} defaultValue={NEVER} />
        <Submit action={action}>{texts.send}</Submit>
      </form>
    </Dialog>
  );
}
