import type { FileRecord } from "@parley/protocol/files";
import type { ReactNode } from "react";
import { useFileTexts } from "../i18n/hooks/use-file-texts.ts";
import { extensionOf, kindOf, sizeText } from "../model/files/file-kind.ts";
import { DownloadIcon, FileIcon, PlayIcon, SoundIcon } from "../ui/icons.tsx";

/** The sign of a file's kind. */
export function KindIcon({ mimeType }: { mimeType: string }) {
  const kind = kindOf(mimeType);
  if (kind === "video") return <PlayIcon />;
  return kind === "audio" ? <SoundIcon /> : <FileIcon />;
}

interface Props {
  file: FileRecord;
  /** Instead of type and size: why there is nothing to download. */
  note?: string;
  children?: ReactNode;
}

/** A file's name, type and size, and a link that downloads it. */
export function FileCard({ file, note, children }: Props) {
  const texts = useFileTexts();
  const { name, mime_type, size_bytes, url } = file;
  const size = sizeText(size_bytes);
  const about = [extensionOf(name), size].filter((part) => part !== null).join(" · ");
  return (
    <div className="file-card">
      <span className="kind">
        <KindIcon mimeType={mime_type} />
      </span>
      <span className="about">
        <bdi className="name" title={name}>
          {name}
        </bdi>
        <span className="muted">{note ?? about}</span>
      </span>
      {note === undefined && (
        <a
          className="icon-button"
          href={url}
          download={name}
          aria-label={texts.downloadOf(name, size)}
          title={texts.download}
        >
          <DownloadIcon />
        </a>
      )}
      {children}
    </div>
  );
}
