import type { FileRecord } from "@parley/protocol/files";
import type { Texts } from "../../i18n/texts.ts";

/** Returns the line that stands for a message's files where only text is shown, such as `📎 plan.pdf`; `""` without files. */
export function fileLine(files: readonly Pick<FileRecord, "name">[], { files: texts }: Pick<Texts, "files">): string {
  const [first] = files;
  return first === undefined ? "" : texts.line(first.name, files.length - 1);
}
