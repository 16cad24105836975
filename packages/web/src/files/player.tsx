import type { FileRecord } from "@parley/protocol/files";
import { useState } from "react";
import { useFileTexts } from "../i18n/hooks/use-file-texts.ts";
import { kindOf } from "../model/files/file-kind.ts";
import { FileCard } from "./file-card.tsx";

/** Plays sound or video with the browser's own controls; only the beginning is loaded before somebody presses play. */
export function Player({ file }: { file: FileRecord }) {
  const texts = useFileTexts();
  const [isBroken, setBroken] = useState(false);
  const { url, name, alt_text, width, height, preview_url } = file;
  const shared = {
    src: url,
    controls: true,
    preload: "metadata",
    "aria-label": alt_text ?? name,
    onError: () => setBroken(true),
  } as const;
  const isVideo = kindOf(file.mime_type) === "video";
  return (
    <div className="player">
      {isBroken && <p className="hint">{texts.cantPlay}</p>}
      {!isBroken && isVideo && (
        <video
          {...shared}
          playsInline
          poster={preview_url ?? undefined}
          style={width === null || height === null ? undefined : { aspectRatio: `${width} / ${height}` }}
        />
      )}
      {!isBroken && !isVideo && <audio {...shared} />}
      <FileCard file={file} />
    </div>
  );
}
