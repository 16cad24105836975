import type { FileRecord } from "@parley/protocol/files";
import { useFileTexts } from "../i18n/hooks/use-file-texts.ts";
import { isPicture, kindOf } from "../model/files/file-kind.ts";
import { VoicePlayer } from "../voice/voice-player.tsx";
import { FileCard } from "./file-card.tsx";
import { Pictures } from "./pictures.tsx";
import { Player } from "./player.tsx";
import { TextFile } from "./text-file.tsx";
import { useFileStatus } from "./use-file-status.ts";

/** The message that shows the files. */
interface Place {
  isForward?: boolean;
  channelId?: number;
}

/** The files of a message: pictures first, then the others one below the other. */
export function ShownFiles({ files, ...place }: Place & { files: readonly FileRecord[] }) {
  return (
    <div className="files">
      <Pictures pictures={files.filter(isPicture)} />
      {files
        .filter((file) => !isPicture(file))
        .map((file) => (
          <ShownFile key={file.file_id} file={file} {...place} />
        ))}
    </div>
  );
}

function ShownFile({ file, ...place }: Place & { file: FileRecord }) {
  const texts = useFileTexts();
  const { status } = useFileStatus(file);
  if (status !== "ready") return <FileCard file={file} note={texts[status]} />;
  if (file.voice !== undefined) return <VoicePlayer file={file} voice={file.voice} {...place} />;
  const kind = kindOf(file.mime_type);
  if (kind === "video" || kind === "audio") return <Player file={file} />;
  return kind === "text" ? <TextFile file={file} /> : <FileCard file={file} />;
}
