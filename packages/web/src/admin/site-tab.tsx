import { type RegistrationMode, SITE_NAME_MAX, type SiteSettings, type UpdateSiteBody } from "@parley/protocol/site";
import { type ChangeEvent, type FormEvent, useEffect, useRef, useState } from "react";
import { useSiteTexts } from "../i18n/hooks/use-site-texts.ts";
import { InviteByMail } from "../mail/invite-by-mail.tsx";
import { useParley } from "../session/parley-context.ts";
import { useSite } from "../session/use-site.ts";
import { Field } from "../ui/field.tsx";
import { formValue } from "../ui/form-value.ts";
import { Select } from "../ui/select.tsx";
import { ErrorLine, Submit } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";
import { AllInvitations } from "../welcome/invitations.tsx";

/** Side of the uploaded logo in pixels: enough for the icon of an installed app. */
const SIDE_PX = 256;

/** The site's name, its logo, and who may register. */
export function SiteTab() {
  const parley = useParley();
  const loading = useAction();
  const [settings, setSettings] = useState<SiteSettings | null>(null);
  const [invited, setInvited] = useState(0);
  const hasMail = useSite()?.mail === true;
  const { admin } = parley.client;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `loading` is new in each render.
  useEffect(() => {
    void loading.run(async () => setSettings((await admin.site()).site));
  }, [admin]);
  /** Saves a change, unless somebody else has changed the settings since they were read, and shows it in this page. */
  const save = async (change: UpdateSiteBody) => {
    const { site } = await admin.updateSite({ ...change, version: settings?.version });
    setSettings(site);
    const shown = parley.entrance.site.get();
    const { name, registration, logo } = site;
    if (shown !== null) parley.entrance.site.set({ ...shown, name, registration, logo });
  };
  if (settings === null) return <ErrorLine text={loading.error} />;
  return (
    <>
      <TextSettings key={settings.version} settings={settings} onSave={save} />
      <Logo settings={settings} onSave={save} />
      {hasMail && <InviteByMail onInvited={() => setInvited((count) => count + 1)} />}
      <AllInvitations key={invited} />
    </>
  );
}

interface Props {
  settings: SiteSettings;
  onSave(change: UpdateSiteBody): Promise<void>;
}

function TextSettings({ settings: { name, registration, locked }, onSave }: Props) {
  const parley = useParley();
  const texts = useSiteTexts();
  const action = useAction();
  const hintOf = (variable: string | null) => (variable === null ? {} : { hint: texts.locked(variable) });
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const change: UpdateSiteBody = {
      ...(locked.name === null ? { name: formValue(form, "name").trim() || null } : {}),
      ...(locked.registration === null ? { registration: formValue(form, "registration") as RegistrationMode } : {}),
    };
    if (await action.run(() => onSave(change))) parley.notices.say(texts.saved);
  };
  const isLocked = locked.name !== null && locked.registration !== null;
  return (
    <form className="stack" onSubmit={submit}>
      <Field
        label={texts.name}
        name="name"
        defaultValue={name}
        maxLength={SITE_NAME_MAX}
        autoComplete="off"
        disabled={locked.name !== null}
        {...hintOf(locked.name)}
      />
      <div>
        <Select
          label={texts.registration}
          name="registration"
          choices={texts.policies}
          defaultValue={registration}
          disabled={locked.registration !== null}
        />
        {locked.registration !== null && <p className="hint">{texts.locked(locked.registration)}</p>}
      </div>
      {!isLocked && <Submit action={action}>{texts.save}</Submit>}
    </form>
  );
}

function Logo({ settings: { logo }, onSave }: Props) {
  const parley = useParley();
  const texts = useSiteTexts();
  const action = useAction();
  const file = useRef<HTMLInputElement>(null);
  const choose = async (event: ChangeEvent<HTMLInputElement>) => {
    const chosen = event.target.files?.[0];
    event.target.value = "";
    if (chosen === undefined) return;
    const picture = await createImageBitmap(chosen).catch(() => null);
    if (picture === null) action.fail(texts.notAPicture);
    else if (await action.run(() => onSave({ logo: fitted(picture) }))) parley.notices.say(texts.saved);
  };
  return (
    <section className="stack" aria-label={texts.logo}>
      <h3>{texts.logo}</h3>
      <div className="profile-picture-row">
        {logo !== null && <img className="profile-picture" src={`/icons/logo?v=${logo}`} alt={texts.logo} />}
        <div className="row">
          <button type="button" className="secondary" disabled={action.isBusy} onClick={() => file.current?.click()}>
            {texts.chooseLogo}
          </button>
          {logo !== null && (
            <button
              type="button"
              className="secondary danger"
              disabled={action.isBusy}
              onClick={() => void action.run(() => onSave({ logo: null }))}
            >
              {texts.removeLogo}
            </button>
          )}
        </div>
        <input
          ref={file}
          type="file"
          accept="image/png,image/jpeg,image/webp"
          hidden
          onChange={(event) => void choose(event)}
          aria-label={texts.chooseLogo}
        />
      </div>
      <p className="hint">{texts.logoHint}</p>
      <ErrorLine text={action.error} />
    </section>
  );
}

/** Draws the whole picture into the middle of a square, and returns it as a `data:` URL. */
function fitted(picture: ImageBitmap): string {
  const canvas = document.createElement("canvas");
  canvas.width = SIDE_PX;
  canvas.height = SIDE_PX;
  const scale = SIDE_PX / Math.max(picture.width, picture.height);
  const [width, height] = [picture.width * scale, picture.height * scale];
  canvas.getContext("2d")?.drawImage(picture, (SIDE_PX - width) / 2, (SIDE_PX - height) / 2, width, height);
  return canvas.toDataURL("image/webp", 0.9);
}
