import { integer, list, oneOf, type Variable } from "./parse.ts";

const variable = <T>(spec: Variable<T>): Variable<T> => spec;

/** The settings of uploaded files (protocol §13.2). */
export const FILE_VARIABLES = {
  fileMaxMib: variable({
    name: "PARLEY_FILE_MAX_MIB",
    meaning: "Mebibytes of an uploaded file at most. A reverse proxy must accept bodies of this size.",
    byDefault: "25",
    parse: integer(1, 1_000),
  }),
  fileQuotaMib: variable({
    name: "PARLEY_FILE_QUOTA_MIB",
    meaning: "Mebibytes of all files of a user, and of an agent. 0: nobody can upload files.",
    byDefault: "1024",
    parse: integer(0, 1_048_576),
  }),
  filesTotalMib: variable<number | null>({
    name: "PARLEY_FILES_TOTAL_MIB",
    meaning: "Mebibytes of all files together. Default: what the disk has, except for 5 %.",
    byDefault: null,
    parse: integer(0, 1_073_741_824),
  }),
  filesKeptDays: variable<number | null>({
    name: "PARLEY_FILES_KEPT_DAYS",
    meaning:
      "Days for which the bytes of deleted files stay, so that a database that is restored to a time within them finds its files. On PostgreSQL, set it to the days of its archived log. Default: `PARLEY_REPLICA_DAYS` with a replica, else 0, which means that they are removed within 10 minutes.",
    byDefault: null,
    parse: integer(0, 366),
  }),
  fileTypes: variable<readonly string[] | null>({
    name: "PARLEY_FILE_TYPES",
    meaning:
      "Media types of the files that may be uploaded, separated by commas, such as `image/*,text/plain`; `any`: all. The type is found in a file's bytes; what is not recognised is `application/octet-stream`.",
    byDefault: "any",
    parse: mediaTypesOrAny,
  }),
  customEmoji: variable<"members" | "administrators" | "off">({
    name: "PARLEY_CUSTOM_EMOJI",
    meaning:
      "Who may add emoji to the server: `members` (everybody with an account), `administrators`, or `off`. With `off` the server shows none of its own, and keeps those that it has.",
    byDefault: "members",
    parse: oneOf("members", "administrators", "off"),
  }),
} as const;

/** Parses media types such as `image/*` and `text/plain`, separated by commas; null for the word `any`. */
function mediaTypesOrAny(raw: string): readonly string[] | null {
  if (raw === "any") return null;
  const types = list(mediaType)(raw);
  if (types.length === 0) throw new Error("must be any, or media types such as image/*,text/plain");
  return types;
}

function mediaType(raw: string): string {
  const type = raw.toLowerCase();
  if (/^[a-z]+\/(\*|[a-z0-9][a-z0-9.+-]*)$/.test(type)) return type;
  throw new Error(`has "${raw}", which is not a media type such as image/* or text/plain`);
}
