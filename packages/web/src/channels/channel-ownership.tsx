import type { Channel } from "@parley/protocol/models";
import type { FormEvent } from "react";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { Field } from "../ui/field.tsx";
import { formValue } from "../ui/form-value.ts";
import { saveExport } from "../ui/save-export.ts";
import { Section } from "../ui/section.tsx";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";

/** Actions reserved to the owner: export the channel, transfer ownership. */
export function Ownership({ channel, onDone }: { channel: Channel; onDone(): void }) {
  const parley = useParley();
  const { channel: texts, profile } = useWindowTexts();
  const action = useAction();
  const download = () =>
    action.run(async () => {
      const stream = await parley.client.channels.export(channel.id, { format: "json" });
      await saveExport(stream, `${channel.channel_slug}.json`, profile.cutOff);
    });
  const handOver = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const to = formValue(event.currentTarget, "to").trim();
    const question = { title: channel.name, text: texts.handOverSure(channel.name, to), action: texts.handOver };
    if (!(await parley.confirm.ask(question))) return;
    const isDone = await action.run(async () => {
      const { channel: updated } = await parley.client.channels.update(channel.id, { owner_username: to });
      parley.channels.put(updated);
    });
    if (!isDone) return;
    parley.notices.say(texts.handedOver(to));
    onDone();
  };
  return (
    <Section title={texts.yours}>
      <button type="button" className="secondary" disabled={action.isBusy} onClick={() => void download()}>
        {texts.copy}
      </button>
      <details>
        <summary>{texts.handOver}</summary>
        <form className="stack" onSubmit={handOver}>
          <Field label={texts.newOwner} name="to" maxLength={32} autoComplete="off" autoCapitalize="none" required />
          <button type="submit" className="secondary danger" disabled={action.isBusy}>
            {texts.handOver}
          </button>
        </form>
      </details>
      <ErrorLine text={action.error} />
    </Section>
  );
}
