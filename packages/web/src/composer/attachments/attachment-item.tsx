import { useFileTexts } from "../../i18n/hooks/use-file-texts.ts";
import type { FileTexts, Texts } from "../../i18n/texts.ts";
import { useTexts } from "../../i18n/use-texts.ts";
import type { Attachment } from "../../model/files/attachment.ts";
import type { Attachments } from "../../model/files/attachments.ts";
import { kindOf, sizeText } from "../../model/files/file-kind.ts";
import { CloseIcon, RetryIcon } from "../../ui/icons.tsx";
import { Thumbnail } from "./thumbnail.tsx";

interface Props {
  attachment: Attachment;
  attachments: Attachments;
  onDescribe(): void;
}

/** A file of the draft: what it is, how far its upload is, and what can be done with it. */
export function AttachmentItem({ attachment, attachments, onDescribe }: Props) {
  const texts = useFileTexts();
  const { errorMessage } = useTexts();
  const { key, name, sizeBytes, state, part, problem, type, file, altText } = attachment;
  const isUnderWay = state === "waiting" || state === "uploading";
  const mayDescribe = kindOf(type) === "image" && file !== null && problem === null;
  const removal = (isUnderWay ? texts.cancel : texts.remove)(name);
  return (
    <li className="attachment" data-state={state}>
      <span className="thumbnail">
        <Thumbnail attachment={attachment} />
      </span>
      <span className="about">
        <bdi className="name" title={name}>
          {name}
        </bdi>
        <span className={problem === null ? "muted" : "status"}>
          {problem === null
            ? `${sizeText(sizeBytes)} · ${stateText(attachment, texts)}`
            : problemText(attachment, texts, errorMessage)}
        </span>
        {isUnderWay && <progress aria-label={texts.uploadOf(name)} value={part} max={1} />}
      </span>
      {mayDescribe && (
        <button
          type="button"
          className="secondary alt"
          aria-label={`${texts.altButton}: ${texts.describe(name)}`}
          title={altText === "" ? texts.describe(name) : altText}
          aria-pressed={altText !== ""}
          onClick={onDescribe}
        >
          {texts.altButton}
        </button>
      )}
      {state === "failed" && file !== null && (
        <IconButton label={texts.retry(name)} icon={<RetryIcon />} onPress={() => attachments.retry(key)} />
      )}
      <IconButton label={removal} icon={<CloseIcon />} onPress={() => attachments.remove(key)} />
    </li>
  );
}

function IconButton({ label, icon, onPress }: { label: string; icon: React.ReactNode; onPress(): void }) {
  return (
    <button type="button" className="icon-button" aria-label={label} title={label} onClick={onPress}>
      {icon}
    </button>
  );
}

function stateText({ state, part }: Attachment, { states }: FileTexts): string {
  if (state === "uploading") return states.uploading(Math.floor(part * 100));
  return state === "waiting" || state === "checking" ? states[state] : states.ready;
}

function problemText(
  { problem, sizeBytes }: Attachment,
  { problems }: FileTexts,
  errorMessage: Texts["errorMessage"],
): string {
  switch (problem?.kind) {
    case "too_large":
      return problems.tooLarge(sizeText(sizeBytes), sizeText(problem.maxBytes));
    case "error":
      return errorMessage(problem.error);
    case "empty":
    case "blocked":
      return problems[problem.kind];
    case undefined:
      return "";
  }
}
