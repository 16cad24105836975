import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useFileTexts } from "../i18n/hooks/use-file-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import type { Picture } from "../model/files/file-kind.ts";
import { useParley, useSelf } from "../session/parley-context.ts";
import { useCover } from "../ui/covers/use-cover.ts";
import { ChevronIcon, CloseIcon, DownloadIcon, LinkIcon, MinusIcon, PlusIcon } from "../ui/icons.tsx";
import { DescribePicture } from "./describe-picture.tsx";
import { altOf } from "./pictures.tsx";
import { useSwipe } from "./use-swipe.ts";

interface Props {
  pictures: readonly Picture[];
  /** Which one is shown first. */
  at: number;
  onClose(): void;
}

const ZOOM_MAX = 8;

/** Shows pictures one at a time over the whole window: arrow keys or a swipe change it, plus and minus enlarge it. */
export function Lightbox({ pictures, at: first, onClose }: Props) {
  const texts = useFileTexts();
  const dialog = useRef<HTMLDialogElement>(null);
  const [at, setAt] = useState(first);
  const [zoom, setZoom] = useState(1);
  const [isDescribing, setDescribing] = useState(false);
  /** Descriptions that were changed here; `pictures` has what they were when the window opened. */
  const [described, setDescribed] = useState<ReadonlyMap<number, string | null>>(new Map());
  const self = useSelf();
  const opened = pictures[at] ?? pictures[0];
  const changed = opened && described.get(opened.file_id);
  const picture = opened && changed !== undefined ? { ...opened, alt_text: changed } : opened;
  const step = (by: number) => {
    const next = at + by;
    if (next < 0 || next >= pictures.length) return;
    setAt(next);
    setZoom(1);
  };
  const enlarge = (by: number) => setZoom((now) => Math.min(ZOOM_MAX, Math.max(1, now * by)));
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // Arrow keys work at once, and the first Tab reaches the first button.
    shown?.focus();
    return () => shown?.close();
  }, []);
  useCover(true, () => dialog.current?.close());
  const swipe = useSwipe({ isOn: zoom === 1, onStep: step, onDown: () => dialog.current?.close() });
  const keyed = (event: KeyboardEvent) => {
    const act = {
      ArrowLeft: () => step(-1),
      ArrowRight: () => step(1),
      "+": () => enlarge(1.5),
      "=": () => enlarge(1.5),
      "-": () => enlarge(1 / 1.5),
      "0": () => setZoom(1),
    }[event.key];
    if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    // An enlarged picture is scrolled by the arrow keys.
    if (zoom > 1 && event.key.startsWith("Arrow")) return;
    event.preventDefault();
    act();
  };
  if (picture === undefined) return null;
  const alt = altOf(picture, texts);
  const isOwn = picture.username !== null && picture.username === self;
  const shown = (
    <dialog
      ref={dialog}
      className="lightbox"
      tabIndex={-1}
      aria-label={alt}
      onKeyDown={keyed}
      onClose={(event) => event.target === dialog.current && onClose()}
    >
      <Bar
        picture={picture}
        place={pictures.length > 1 ? texts.position(at + 1, pictures.length) : null}
        zoom={zoom}
        onZoom={enlarge}
        onDescribe={isOwn ? () => setDescribing(true) : null}
        onClose={() => dialog.current?.close()}
      />
      <Stage
        key={picture.file_id}
        picture={picture}
        alt={alt}
        zoom={zoom}
        swipe={swipe}
        onToggle={() => setZoom(zoom === 1 ? 2.5 : 1)}
        onClose={() => dialog.current?.close()}
      />
      {pictures.length > 1 && (
        <>
          <button
            type="button"
            className="icon-button previous"
            aria-label={texts.previous}
            title={texts.previous}
            disabled={at === 0}
            onClick={() => step(-1)}
          >
            <ChevronIcon />
          </button>
          <button
            type="button"
            className="icon-button next"
            aria-label={texts.next}
            title={texts.next}
            disabled={at === pictures.length - 1}
            onClick={() => step(1)}
          >
            <ChevronIcon />
          </button>
        </>
      )}
      {picture.alt_text !== null && (
        <p className="caption" dir="auto">
          {picture.alt_text}
        </p>
      )}
    </dialog>
  );
  return (
    <>
      {shown}
      {isDescribing && (
        <DescribePicture
          picture={picture}
          onSaved={(altText) => setDescribed(new Map(described).set(picture.file_id, altText))}
          onClose={() => setDescribing(false)}
        />
      )}
    </>
  );
}

interface BarProps {
  picture: Picture;
  /** Which one of how many it is; null: the only one. */
  place: string | null;
  zoom: number;
  onZoom(by: number): void;
  /** null: somebody else's picture. */
  onDescribe: (() => void) | null;
  onClose(): void;
}

function Bar({ picture, place, zoom, onZoom, onDescribe, onClose }: BarProps) {
  const parley = useParley();
  const texts = useFileTexts();
  const { app } = useTexts();
  const copy = () =>
    navigator.clipboard.writeText(new URL(picture.url, location.origin).href).then(
      () => parley.notices.say(texts.linkCopied),
      (error: unknown) => parley.showError(error),
    );
  const button = (label: string, icon: React.ReactNode, onClick: () => void, isDisabled = false) => (
    <button
      type="button"
      className="icon-button"
      aria-label={label}
      title={label}
      disabled={isDisabled}
      onClick={onClick}
    >
      {icon}
    </button>
  );
  return (
    <header>
      <p>
        <bdi>{picture.name}</bdi>
        <span aria-live="polite">{place}</span>
      </p>
      {onDescribe !== null &&
        button(`${texts.altButton}: ${texts.describe(picture.name)}`, <small>{texts.altButton}</small>, onDescribe)}
      {button(texts.zoomOut, <MinusIcon />, () => onZoom(1 / 1.5), zoom === 1)}
      {button(texts.zoomIn, <PlusIcon />, () => onZoom(1.5), zoom === ZOOM_MAX)}
      {button(texts.copyLink, <LinkIcon />, () => void copy())}
      <a
        className="icon-button"
        href={picture.url}
        download={picture.name}
        aria-label={texts.download}
        title={texts.download}
      >
        <DownloadIcon />
      </a>
      {button(app.close, <CloseIcon />, onClose)}
    </header>
  );
}

interface StageProps {
  picture: Picture;
  alt: string;
  zoom: number;
  swipe: ReturnType<typeof useSwipe>;
  onToggle(): void;
  onClose(): void;
}

/** The picture, fitted into the window or enlarged; a larger one scrolls. The large preview is shown until one enlarges it. */
function Stage({ picture, alt, zoom, swipe, onToggle, onClose }: StageProps) {
  const texts = useFileTexts();
  const [isBroken, setBroken] = useState(false);
  const stage = useRef<HTMLDivElement>(null);
  const [hasPreview, setPreview] = useState(picture.preview_url !== null && picture.mime_type !== "image/gif");
  const isLarge = zoom > 1 || !hasPreview;
  useEffect(() => {
    const { current } = stage;
    // Arrow keys scroll an enlarged picture.
    if (zoom > 1) current?.focus();
    current?.scrollTo(
      (current.scrollWidth - current.clientWidth) / 2,
      (current.scrollHeight - current.clientHeight) / 2,
    );
  }, [zoom]);
  const pressed = (event: React.MouseEvent) => event.target === stage.current && onClose();
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the buttons and keys do the same
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it by keyboard
    <div
      ref={stage}
      className="stage"
      tabIndex={zoom > 1 ? 0 : -1}
      data-zoomed={zoom > 1}
      onClick={pressed}
      onDoubleClick={onToggle}
      {...swipe}
    >
      {isBroken ? (
        <p>{texts.pictureFailed}</p>
      ) : (
        <img
          src={isLarge ? picture.url : `${picture.preview_url}?size=1280`}
          alt={alt}
          draggable={false}
          width={picture.width}
          height={picture.height}
          style={
            zoom > 1 ? { maxWidth: "none", maxHeight: "none", width: `${zoom * 100}%`, height: "auto" } : undefined
          }
          // Without a preview there is still the picture itself.
          onError={() => (isLarge ? setBroken(true) : setPreview(false))}
        />
      )}
    </div>
  );
}
