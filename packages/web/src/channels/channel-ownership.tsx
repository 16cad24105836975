import type { ChannelRecord } from "@parley/protocol/records";
import type { FormEvent } from "react";
import { keepExport } from "../app/download.ts";
import { Field } from "../app/field.tsx";
import { valueIn } from "../app/form.ts";
import { useParley } from "../app/parley-context.ts";
import { Section } from "../app/section.tsx";
import { ErrorLine } from "../app/submit.tsx";
import { useAct } from "../app/use-act.ts";
import { useWindowTexts } from "../texts/window-texts.ts";

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
