import type { LeftOut, SourceFile } from "../../source.ts";
import { ATTACHMENTS_MAX } from "../attachments.ts";
import { countOf, type Fields, partOf, partsOf, textOf } from "../fields.ts";
import type { Layout } from "./layout.ts";
import { withoutTokens } from "./text/link-tokens.ts";

/** The files of a message: those that the export describes, and those that Slack no longer shows. */
export interface MessageFiles {
  readonly files: readonly SourceFile[];
  readonly leftOut: readonly LeftOut[];
  /** The names of those that are left out, for the message; empty if Slack does not say it. */
  readonly lostNames: readonly string[];
}

const GONE = new Set(["tombstone", "hidden_by_limit"]);

/** Reads a message's files, and those of messages that it forwards. Before 2018 Slack wrote only one, as `file`. */
export function filesOf(layout: Layout, folder: string, message: Fields): MessageFiles {
  const listed = partsOf(message, "files");
  const file = partOf(message, "file");
  const own = listed.length > 0 ? listed : Object.keys(file).length > 0 ? [file] : [];
  // The link to a message leads to its files, and a forwarded one has them.
  const forwarded = partsOf(message, "attachments")
    .slice(0, ATTACHMENTS_MAX)
    .filter(({ is_share }) => is_share === true);
  const all = [...own, ...forwarded.flatMap((attachment) => partsOf(attachment, "files"))];
  const [gone, present] = [all.filter(isGone), all.filter((each) => !isGone(each))];
  return {
    files: [...new Map(present.map((each) => [textOf(each, "id"), fileOf(layout, folder, each)])).values()],
    leftOut: gone.map((each) => ({
      kind: "file",
      reason: textOf(each, "mode") || "no_id",
      example: textOf(each, "id"),
    })),
    lostNames: gone.map((each) => textOf(each, "name") || textOf(each, "title")),
  };
}

const isGone = (file: Fields): boolean => GONE.has(textOf(file, "mode")) || textOf(file, "id") === "";

function fileOf(layout: Layout, folder: string, file: Fields): SourceFile {
  const id = textOf(file, "id");
  const isExternal = textOf(file, "mode") === "external" || file.is_external === true;
  return {
    id,
    name: withoutTokens(textOf(file, "name") || textOf(file, "title") || id),
    mimeType: textOf(file, "mimetype") || null,
    size: countOf(file, "size"),
    alt: withoutTokens(textOf(file, "alt_txt")) || null,
    path: pathOf(layout, folder, id),
    // What is stored elsewhere is no file of Slack's.
    url: isExternal ? null : textOf(file, "url_private_download") || textOf(file, "url_private") || null,
  };
}

/** slack-advanced-exporter and slackdump add the bytes: by the file's id, or beside the messages. */
function pathOf({ archive, root }: Layout, folder: string, id: string): string | null {
  for (const prefix of [`${root}__uploads/${id}/`, `${root}${folder}/attachments/${id}-`]) {
    for (const { name } of archive.under(prefix)) return name;
  }
  return null;
}
