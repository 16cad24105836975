import { useEffect, useRef, useState } from "react";
import type { Attachment } from "../../model/files/attachment.ts";
import { kindOf } from "../../model/files/file-kind.ts";
import { FileIcon, PlayIcon, SoundIcon } from "../../ui/icons.tsx";

/** Pixels of the drawn picture's height; shown at half of it. */
const DRAWN_PX = 112;

/** A small picture of a file, or the sign of its kind. */
export function Thumbnail({ attachment: { file, type, record } }: { attachment: Attachment }) {
  const [isBroken, setBroken] = useState(false);
  const kind = kindOf(type);
  if (kind === "image" && !isBroken) {
    if (file !== null) return <Drawn file={file} onBroken={() => setBroken(true)} />;
    if (record?.preview_url != null) return <img src={record.preview_url} alt="" onError={() => setBroken(true)} />;
  }
  if (kind === "video") return <PlayIcon />;
  return kind === "audio" ? <SoundIcon /> : <FileIcon />;
}

/** Draws a picture that is not uploaded yet. The page's policy allows no address for it, such as `blob:`. */
function Drawn({ file, onBroken }: { file: File; onBroken(): void }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: draws each file once
  useEffect(() => {
    let isShown = true;
    const draw = async () => {
      const picture = await createImageBitmap(file, { resizeHeight: DRAWN_PX, resizeQuality: "medium" });
      const { current } = canvas;
      if (isShown && current !== null) {
        current.width = picture.width;
        current.height = picture.height;
        current.getContext("2d")?.drawImage(picture, 0, 0);
      }
      picture.close();
    };
    // Formats that the browser does not know get a sign.
    draw().catch(() => isShown && onBroken());
    return () => {
      isShown = false;
    };
  }, [file]);
  return <canvas ref={canvas} width={0} height={0} />;
}
