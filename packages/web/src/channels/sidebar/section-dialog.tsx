import { SECTION_NAME_MAX } from "@parley/protocol/limits";
import type { Channel } from "@parley/protocol/models";
import type { FormEvent } from "react";
import { useTexts } from "../../i18n/use-texts.ts";
import { labelOf, sectionsOf } from "../../model/channel-groups.ts";
import { useParley } from "../../session/parley-context.ts";
import { useStore } from "../../state/store.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { formValue } from "../../ui/form-value.ts";
import { Submit } from "../../ui/submit.tsx";
import { useAction } from "../../ui/use-action.ts";

/** Moves a channel to a section of the user's list, or to a new one. */
export function SectionDialog({ channel, onClose }: { channel: Channel; onClose(): void }) {
  const parley = useParley();
  const { sidebar: texts } = useTexts();
  const { preferences } = parley.calls;
  const sidebar = useStore(preferences.sidebar);
  const { channels } = useStore(parley.channels.view);
  const action = useAction();
  const current = sidebar.channels[channel.id]?.section ?? null;
  const move = (section: string | null) =>
    void action.run(async () => {
      await preferences.setSidebar({ channels: { [channel.id]: { section } } });
      onClose();
    });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    move(formValue(event.currentTarget, "section"));
  };
  return (
    <Dialog title={texts.sectionTitle(labelOf(channel))} onClose={onClose}>
      <div className="menu">
        {[...sectionsOf(channels, sidebar, parley.preferences.language.get()), null].map((section) => (
          <button key={section} type="button" aria-pressed={section === current} onClick={() => move(section)}>
            <bdi>{section ?? texts.noSection}</bdi>
          </button>
        ))}
      </div>
      <form className="stack" onSubmit={submit}>
        <Field label={texts.newSection} name="section" maxLength={SECTION_NAME_MAX} autoComplete="off" required />
        <Submit action={action}>{texts.create}</Submit>
      </form>
    </Dialog>
  );
}
