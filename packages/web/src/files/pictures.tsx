import { useState } from "react";
import { useFileTexts } from "../i18n/hooks/use-file-texts.ts";
import type { FileTexts } from "../i18n/texts.ts";
import type { Picture } from "../model/files/file-kind.ts";
import { columnsOf, shownSize } from "../model/files/picture-layout.ts";
import { useParley } from "../session/parley-context.ts";
import { PlayIcon } from "../ui/icons.tsx";
import { FileCard } from "./file-card.tsx";
import { useFileStatus } from "./use-file-status.ts";

/** Animations larger than this play only when the user asks. */
const PLAYED_BYTES = 3 * 1024 * 1024;

/** Returns what is read out for a picture. */
export const altOf = ({ alt_text, name }: Picture, texts: FileTexts): string => alt_text ?? texts.pictureOf(name);

/** A message's pictures: one at its own shape, several as a grid of squares. A press opens them in the gallery. */
export function Pictures({ pictures }: { pictures: readonly Picture[] }) {
  const parley = useParley();
  const open = (at: number) => parley.openDialog.set({ window: "pictures", pictures, at });
  const [only] = pictures;
  if (only === undefined) return null;
  if (pictures.length === 1) return <Shown picture={only} isAlone onOpen={() => open(0)} />;
  return (
    <div className="pictures" data-columns={columnsOf(pictures.length)}>
      {pictures.map((picture, at) => (
        <Shown key={picture.file_id} picture={picture} isAlone={false} onOpen={() => open(at)} />
      ))}
    </div>
  );
}

interface ShownProps {
  picture: Picture;
  isAlone: boolean;
  onOpen(): void;
}

function Shown({ picture, isAlone, onOpen }: ShownProps) {
  const texts = useFileTexts();
  const { status, recheck } = useFileStatus(picture);
  const [isBroken, setBroken] = useState(false);
  const [isPlaying, setPlaying] = useState(() => picture.mime_type === "image/gif" && playsAtOnce(picture));
  if (status !== "ready") return <FileCard file={picture} note={texts[status]} />;
  if (isBroken) return <FileCard file={picture} />;
  const alt = altOf(picture, texts);
  const { width, height } = shownSize(picture);
  const still = picture.preview_url;
  const source = isPlaying || still === null ? picture.url : still;
  const mayPlay = picture.mime_type === "image/gif" && still !== null && !isPlaying;
  const failed = () => {
    setBroken(true);
    recheck();
  };
  return (
    <span className="picture-frame">
      <button
        type="button"
        className="picture"
        aria-label={texts.openPicture(alt)}
        title={picture.alt_text ?? picture.name}
        style={isAlone ? { width, aspectRatio: `${width} / ${height}` } : undefined}
        onClick={onOpen}
      >
        <img src={source} alt="" loading="lazy" decoding="async" onError={failed} />
      </button>
      {mayPlay && (
        <button type="button" className="play" aria-label={`${texts.play}: ${alt}`} onClick={() => setPlaying(true)}>
          <PlayIcon /> GIF
        </button>
      )}
    </span>
  );
}

const playsAtOnce = ({ size_bytes }: Picture): boolean =>
  size_bytes <= PLAYED_BYTES && !matchMedia("(prefers-reduced-motion: reduce)").matches;
