import { type RefObject, useEffect, useState } from "react";
import { createPortal } from "react-dom";
import { useTexts } from "../../i18n/use-texts.ts";
import { AttachIcon } from "../../ui/icons.tsx";

interface Props {
  /** The composer; files can be dropped anywhere in the conversation around it. */
  within: RefObject<HTMLElement | null>;
  onFiles(files: readonly File[]): void;
}

/** Marks the places on which files can be dropped. */
const TAKES_FILES = "data-takes-files";
const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") === true;

/** Takes files that are dropped on the conversation, and says so while they are dragged over it. */
export function DropTarget({ within, onFiles }: Props) {
  const { files: texts } = useTexts();
  const [over, setOver] = useState<Element | null>(null);
  useEffect(() => {
    const place = within.current?.closest<HTMLElement>("section, aside") ?? null;
    place?.toggleAttribute(TAKES_FILES, true);
    const isInPlace = ({ target }: Event) => target instanceof Node && place?.contains(target) === true;
    const dragged = (event: DragEvent) => {
      if (!hasFiles(event) || event.dataTransfer === null) return;
      // Otherwise the browser would leave the page for the file.
      event.preventDefault();
      // A channel and a thread may each have a composer.
      if (!(event.target instanceof Element && event.target.closest(`[${TAKES_FILES}]`) !== null)) {
        event.dataTransfer.dropEffect = "none";
      }
      setOver(isInPlace(event) ? place : null);
    };
    const left = (event: DragEvent) => event.relatedTarget === null && setOver(null);
    const dropped = (event: DragEvent) => {
      setOver(null);
      if (!hasFiles(event)) return;
      event.preventDefault();
      if (isInPlace(event)) onFiles([...(event.dataTransfer?.files ?? [])]);
    };
    addEventListener("dragenter", dragged);
    addEventListener("dragover", dragged);
    addEventListener("dragleave", left);
    addEventListener("drop", dropped);
    return () => {
      place?.toggleAttribute(TAKES_FILES, false);
      removeEventListener("dragenter", dragged);
      removeEventListener("dragover", dragged);
      removeEventListener("dragleave", left);
      removeEventListener("drop", dropped);
    };
  }, [within, onFiles]);
  if (over === null) return null;
  return createPortal(
    <div className="drop-target">
      <p>
        <AttachIcon /> {texts.drop}
      </p>
    </div>,
    over,
  );
}
