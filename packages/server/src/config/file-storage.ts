import { boolean, headerSecret, hostName, isLoopback, type Variable } from "./parse.ts";

/** Where the bytes of files are. A folder is an absolute path; a prefix is empty or ends with a slash. */
export type FilesPlace = { kind: "folder"; path: string } | { kind: "s3"; bucket: string; prefix: string };

/** The address of a service that speaks its own protocol over TCP. */
export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

const variable = <T>(spec: Variable<T>): Variable<T> => spec;

/** Settings of stored files (protocol §10, §13.2), part of the table of all settings. */
export const FILE_STORAGE_VARIABLES = {
  files: variable<FilesPlace | null>({
    name: "PARLEY_FILES",
    meaning:
      "Where the bytes of files are kept: a folder, or `s3://<bucket>/<prefix>`. All nodes of a cluster need the same place, so a folder must be shared between them. Default: the folder `files` in the data folder.",
    byDefault: null,
    parse: filesPlace,
  }),
  s3Endpoint: variable<string | null>({
    name: "PARLEY_S3_ENDPOINT",
    meaning:
      "URL of the S3 server, for `s3://` in `PARLEY_FILES` and `PARLEY_REPLICA`, such as `https://s3.example.org`. Default: Amazon's, in the region.",
    byDefault: null,
    parse: s3Endpoint,
  }),
  s3Region: variable({
    name: "PARLEY_S3_REGION",
    meaning: "Region of the S3 buckets.",
    byDefault: "us-east-1",
    parse: region,
  }),
  s3AccessKey: variable<string | null>({
    name: "PARLEY_S3_ACCESS_KEY",
    meaning:
      "Access key of the S3 server. Its user must be able to read, write, list and delete objects of the buckets.",
    byDefault: null,
    parse: accessKey,
    secret: true,
  }),
  s3SecretKey: variable<string | null>({
    name: "PARLEY_S3_SECRET_KEY",
    meaning: "Secret key of the S3 server.",
    byDefault: null,
    parse: headerSecret,
    secret: true,
  }),
  s3Redirect: variable({
    name: "PARLEY_S3_REDIRECT",
    meaning:
      "Whether readers of a file are sent to a signed URL of the S3 server, valid for 60 seconds, instead of getting the bytes through this server. Their browsers must be able to reach `PARLEY_S3_ENDPOINT`.",
    byDefault: "false",
    parse: boolean,
  }),
  clamav: variable<HostAndPort | null>({
    name: "PARLEY_CLAMAV",
    meaning:
      "`<host>:<port>` of a ClamAV daemon. With it, a file can be sent only after it was scanned. While the daemon does not answer, files wait. Its `StreamMaxLength` must be at least `PARLEY_FILE_MAX_MIB`.",
    byDefault: null,
    parse: hostAndPort,
  }),
} as const;

interface StorageSettings {
  readonly files: FilesPlace;
  readonly s3AccessKey: string | null;
  readonly s3SecretKey: string | null;
  readonly s3Endpoint: string | null;
  readonly s3Redirect: boolean;
}

/** Returns what is wrong with the settings of file storage beside each other. */
export function fileStorageProblems({ files, ...s3 }: StorageSettings): string[] {
  if (files.kind === "folder") {
    return s3.s3Redirect ? ["PARLEY_S3_REDIRECT needs a bucket: set PARLEY_FILES to s3://<bucket>/<prefix>"] : [];
  }
  return [
    ...(s3.s3AccessKey === null ? ["PARLEY_S3_ACCESS_KEY must be set, because PARLEY_FILES names a bucket"] : []),
    ...(s3.s3SecretKey === null ? ["PARLEY_S3_SECRET_KEY must be set, because PARLEY_FILES names a bucket"] : []),
  ];
}

interface PlaintextSettings extends Pick<StorageSettings, "files" | "s3Endpoint"> {
  readonly replica: FilesPlace | null;
}

/** True if files or the replica travel to another machine without TLS. */
export function isPlaintextS3({ files, replica, s3Endpoint: endpoint }: PlaintextSettings): boolean {
  if ((files.kind === "folder" && replica?.kind !== "s3") || endpoint === null) return false;
  const { protocol, hostname } = new URL(endpoint);
  return protocol === "http:" && !isLoopback(hostname);
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^([A-Za-z0-9_=@.-]+\/)*$/;

/** Parses a folder or the address of a bucket. */
export function filesPlace(raw: string): FilesPlace {
  if (!raw.startsWith("s3://")) {
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(raw) || raw.includes("\0")) {
      throw new Error("must be the path of a folder, or s3://<bucket>/<prefix>");
    }
    return { kind: "folder", path: raw };
  }
  const [bucket = "", ...rest] = raw.slice("s3://".length).split("/");
  const path = rest.join("/").replace(/\/+$/, "");
  const prefix = path === "" ? "" : `${path}/`;
  if (!BUCKET.test(bucket)) throw new Error("must name a bucket after s3://, such as s3://chat-files/parley");
  if (!PREFIX.test(prefix) || prefix.split("/").some((part) => part === "." || part === "..")) {
    throw new Error("must have a prefix of letters, digits, hyphens, dots and slashes after the bucket");
  }
  return { kind: "s3", bucket, prefix };
}

/** Parses the URL of a server without a path. http is allowed everywhere: requests are signed, only bytes are readable. */
function s3Endpoint(raw: string): string {
  const url = URL.parse(raw);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === "") {
    throw new Error("must be a URL such as https://s3.example.org");
  }
  if (`${url.username}${url.password}${url.search}${url.hash}` !== "" || url.pathname !== "/") {
    throw new Error("must not have a path, query, fragment or credentials; the bucket is in PARLEY_FILES");
  }
  return url.origin;
}

/** Parses an access key. Bun signs URLs wrongly for keys with other characters, such as Swift's `account:user`. */
function accessKey(raw: string): string {
  if (/^[A-Za-z0-9._~-]{1,256}$/.test(raw)) return raw;
  throw new Error("must consist of letters, digits, dots, hyphens and underscores");
}

function region(raw: string): string {
  if (/^[a-z0-9][a-z0-9-]{0,62}$/.test(raw)) return raw;
  throw new Error("must be the name of a region, such as eu-central-1");
}

function hostAndPort(raw: string): HostAndPort {
  const [, inBrackets, name, digits = ""] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(raw) ?? [];
  const port = Number(digits);
  if (port < 1 || port > 65_535) throw new Error("must be <host>:<port>, such as 127.0.0.1:3310");
  return { host: hostName(inBrackets ?? name ?? ""), port };
}
