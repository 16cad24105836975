import type { FileRecord } from "@parley/protocol/files";
import { isPicture } from "../model/files/file-kind.ts";
import { columnsOf, shownSize } from "../model/files/picture-layout.ts";
import { lazy } from "../session/lazy.tsx";

interface Props {
  files: readonly FileRecord[];
  /** True for those of a forwarded message. */
  isForward?: boolean;
  /** The channel of the message, once it is sent. */
  channelId?: number;
}

/** A message's files. Their code loads with the first of them; until then their room is kept, so that nothing jumps. */
export const MessageFiles = lazy<Props>(async () => (await import("./shown-files.tsx")).ShownFiles, Waiting);

function Waiting({ files }: Props) {
  const pictures = files.filter(isPicture);
  const [only] = pictures;
  const { width, height } = only === undefined ? { width: 0, height: 0 } : shownSize(only);
  return (
    <div className="files" aria-hidden="true">
      {pictures.length === 1 && <span className="picture" style={{ width, aspectRatio: `${width} / ${height}` }} />}
      {pictures.length > 1 && (
        <div className="pictures" data-columns={columnsOf(pictures.length)}>
          {pictures.map(({ file_id }) => (
            <span key={file_id} className="picture" />
          ))}
        </div>
      )}
      {files.slice(pictures.length).map(({ file_id }) => (
        <div key={file_id} className="file-card" />
      ))}
    </div>
  );
}
