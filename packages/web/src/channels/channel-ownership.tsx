import type { ChannelRecord } from "@parley/protocol/records";
import type { FormEvent } from "react";
import { useWindowTexts } from "../i18n/window-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { Field } from "../ui/field.tsx";
import { valueIn } from "../ui/form-value.ts";
import { keepExport } from "../ui/save-export.ts";
import { Section } from "../ui/section.tsx";
import { ErrorLine } from "../ui/submit.tsx";
import { useAct } from "../ui/use-action.ts";

/** Actions reserved to the owner: export the channel, transfer ownership. */
export function Ownership({ channel, onDone }: { channel: ChannelRecord; onDone(): void }) {
  const parley = useParley();
  const { channel: texts, profile } = useWindowTexts();
  const act = useAct();
  const download = () =>
    act.run(async () => {
      const stream = await parley.client.channels.export(channel.id, { format: "json" });
      await keepExport(stream, `${channel.channel_slug}.json`, profile.cutOff);
    });
  const handOver = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const to = valueIn(event.currentTarget, "to").trim();
    const question = { title: channel.name, text: texts.handOverSure(channel.name, to), act: texts.handOver };
    if (!(await parley.sure.ask(question))) return;
    const isDone = await act.run(async () => {
      const { channel: updated } = await parley.client.channels.update(channel.id, { owner_username: to });
      parley.channels.put(updated);
    });
    if (!isDone) return;
    parley.notices.say(texts.handedOver(to));
    onDone();
  };
  return (
    <Section title={texts.yours}>
      <button type="button" className="quiet" disabled={act.isBusy} onClick={() => void download()}>
        {texts.copy}
      </button>
      <details>
        <summary>{texts.handOver}</summary>
        <form className="stack" onSubmit={handOver}>
          <Field label={texts.newOwner} name="to" maxLength={32} autoComplete="off" autoCapitalize="none" required />
          <button type="submit" className="quiet danger" disabled={act.isBusy}>
            {texts.handOver}
          </button>
        </form>
      </details>
      <ErrorLine text={act.error} />
    </Section>
  );
}
