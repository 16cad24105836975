import { type ChangeEvent, type PointerEvent, useEffect, useRef, useState } from "react";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";
import { type Crop, dragged, squareOf, WHOLE } from "./crop.ts";
import type { OwnUser, ProfilePartProps } from "./own-user.ts";

/** Side of the uploaded picture in pixels; large enough wherever it is shown. */
const SIDE_PX = 256;
const ZOOM_MAX = 4;

/** Selects, crops and uploads the user's picture. */
export function AvatarEditor({ user, onUser }: ProfilePartProps) {
  const parley = useParley();
  const { profile: texts } = useWindowTexts();
  const action = useAction();
  const [picture, setPicture] = useState<ImageBitmap | null>(null);
  const file = useRef<HTMLInputElement>(null);
  const choose = async (event: ChangeEvent<HTMLInputElement>) => {
    const chosen = event.target.files?.[0];
    event.target.value = "";
    if (chosen === undefined) return;
    try {
      setPicture(await createImageBitmap(chosen));
    } catch {
      parley.notices.say(texts.notAPicture, "error");
    }
  };
  const save = (avatar: string | null) =>
    action.run(async () => {
      onUser((await parley.client.accounts.updateUser(user.username, { avatar })).user);
      setPicture(null);
    });
  return (
    <>
      <div className="profile-picture-row">
        <Avatar user={user} />
        <div className="row">
          <button type="button" className="secondary" onClick={() => file.current?.click()}>
            {texts.choose}
          </button>
          {user.avatar !== null && (
            <button type="button" className="secondary danger" disabled={action.isBusy} onClick={() => void save(null)}>
              {texts.remove}
            </button>
          )}
        </div>
        <input ref={file} type="file" accept="image/*" hidden onChange={choose} aria-label={texts.choose} />
      </div>
      {picture !== null && <Cropper picture={picture} isBusy={action.isBusy} onKeep={(url) => void save(url)} />}
      <ErrorLine text={action.error} />
    </>
  );
}

/** The stored picture, or initials. */
function Avatar({ user }: { user: OwnUser }) {
  if (user.avatar === null)
    return <span className="profile-picture">{[...user.username].slice(0, 2).join("").toUpperCase()}</span>;
  // The path never changes; `v` makes the browser fetch a new version.
  const address = `/api/user/${encodeURIComponent(user.username)}/avatar?v=${user.avatar.length}-${user.avatar.slice(-12)}`;
  return <img className="profile-picture" src={address} alt="" />;
}

function Cropper({ picture, isBusy, onKeep }: { picture: ImageBitmap; isBusy: boolean; onKeep(url: string): void }) {
  const { profile: texts } = useWindowTexts();
  const [crop, setCrop] = useState<Crop>(WHOLE);
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const { left, top, side } = squareOf(picture, crop);
    const context = canvas.current?.getContext("2d");
    context?.clearRect(0, 0, SIDE_PX, SIDE_PX);
    context?.drawImage(picture, left, top, side, side, 0, 0, SIDE_PX, SIDE_PX);
  }, [picture, crop]);
  const drag = (event: PointerEvent<HTMLCanvasElement>) => {
    if (event.buttons !== 1) return;
    const { movementX, movementY, currentTarget } = event;
    setCrop((now) => dragged(picture, now, movementX, movementY, currentTarget.clientWidth));
  };
  const slider = (label: string, key: keyof Crop, min: number, max: number) => (
    <label className="slider">
      <span>{label}</span>
      <input
        type="range"
        min={min}
        max={max}
        step={0.01}
        value={crop[key]}
        onChange={(event) => setCrop((now) => ({ ...now, [key]: Number(event.target.value) }))}
      />
    </label>
  );
  return (
    <div className="cropper">
      <canvas
        ref={canvas}
        width={SIDE_PX}
        height={SIDE_PX}
        role="img"
        aria-label={texts.crop}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
      />
      <div className="stack">
        {slider(texts.zoom, "zoom", 1, ZOOM_MAX)}
        {slider(texts.across, "x", 0, 1)}
        {slider(texts.along, "y", 0, 1)}
        <button
          type="button"
          disabled={isBusy}
          onClick={() => canvas.current !== null && onKeep(canvas.current.toDataURL("image/webp", 0.9))}
        >
          {texts.keep}
        </button>
      </div>
    </div>
  );
}
