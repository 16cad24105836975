import type { Sticker } from "@parley/protocol/models";
import { useEffect, useRef, useState } from "react";
import { useTexts } from "../i18n/use-texts.ts";

const SIDE_PX = 160;

/** A GIF. With reduced motion its first frame is shown until the user plays it. */
export function StickerImage({ sticker }: { sticker: Sticker }) {
  const { messages: texts } = useTexts();
  const [moves, setMoves] = useState(() => !matchMedia("(prefers-reduced-motion: reduce)").matches);
  const scale = Math.min(1, SIDE_PX / Math.max(sticker.width, sticker.height));
  const size = { width: Math.round(sticker.width * scale), height: Math.round(sticker.height * scale) };
  const source = `/api/stickers/${sticker.sticker_id}/file`;
  const name = texts.sticker(sticker.sticker_name);
  if (moves) return <img className="sticker" src={source} alt={name} {...size} loading="lazy" decoding="async" />;
  return (
    <button
      type="button"
      className="sticker-still"
      title={texts.play}
      aria-label={`${name}. ${texts.play}`}
      onClick={() => setMoves(true)}
    >
      <FirstPicture source={source} sticker={sticker} {...size} />
    </button>
  );
}

function FirstPicture({
  source,
  sticker,
  width,
  height,
}: {
  source: string;
  sticker: Sticker;
  width: number;
  height: number;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const image = new Image();
    image.onload = () => canvas.current?.getContext("2d")?.drawImage(image, 0, 0);
    image.src = source;
  }, [source]);
  return (
    <canvas ref={canvas} className="sticker" width={sticker.width} height={sticker.height} style={{ width, height }} />
  );
}
