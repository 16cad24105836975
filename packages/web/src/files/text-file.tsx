import type { FileRecord } from "@parley/protocol/files";
import { useEffect, useState } from "react";
import { useFileTexts } from "../i18n/hooks/use-file-texts.ts";
import { sizeText } from "../model/files/file-kind.ts";
import { decodeStart, readStart, TEXT_MAX, TEXT_START } from "../model/files/text-preview.ts";
import { FileCard } from "./file-card.tsx";

/** A text file: its first lines in a box of fixed height, and more when asked for. It is shown as text, whatever it is. */
export function TextFile({ file }: { file: FileRecord }) {
  const texts = useFileTexts();
  const [isOpen, setOpen] = useState(false);
  const { text, hasFailed } = useText(file, isOpen ? TEXT_MAX : TEXT_START);
  const { name, size_bytes } = file;
  const isShort = size_bytes <= TEXT_START && text !== null && text.trimEnd().split("\n").length <= 6;
  return (
    <div className="text-file">
      <FileCard file={file} />
      {hasFailed ? (
        <p className="hint">{texts.textFailed}</p>
      ) : (
        // biome-ignore lint/a11y/useSemanticElements: no set of fields; and a section would be one of the page's landmarks
        <div role="group" aria-label={texts.textPreview(name)}>
          <pre className={isOpen ? "open" : undefined} tabIndex={isOpen ? 0 : undefined}>
            {text}
          </pre>
        </div>
      )}
      {isOpen && size_bytes > TEXT_MAX && <p className="hint">{texts.cut(sizeText(TEXT_MAX))}</p>}
      {!isShort && !hasFailed && (
        <button type="button" className="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? texts.showLess : texts.showMore}
        </button>
      )}
    </div>
  );
}

/** Reads the beginning of a file; null until it has. A longer beginning replaces a shorter one. */
function useText({ url, size_bytes }: FileRecord, count: number): { text: string | null; hasFailed: boolean } {
  const [text, setText] = useState<string | null>(null);
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    const stopping = new AbortController();
    const read = async () => {
      const bytes = await readStart(url, Math.min(count, size_bytes), stopping.signal);
      setText(decodeStart(bytes, size_bytes <= count));
      setFailed(false);
    };
    read().catch(() => !stopping.signal.aborted && setFailed(true));
    return () => stopping.abort();
  }, [url, size_bytes, count]);
  return { text, hasFailed };
}
