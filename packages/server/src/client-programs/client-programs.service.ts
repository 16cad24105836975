import { etagOf } from "../base/etag.ts";
import { perServer } from "../context.ts";
import { fail } from "../errors.ts";
import { hasSources } from "../web/bundle.ts";
import { type ProgramFiles, type ProgramName, packPrograms } from "./pack-programs.ts";
import { tarball } from "./tarball.ts";

/** A packed program, and the tag by which a client knows whether it has it. */
export interface PackedProgram {
  bytes: Uint8Array<ArrayBuffer>;
  etag: string;
}

/** The programs, packed at the first request: a server that nobody asks for them does not spend the time. */
const programs = perServer(() => {
  let loading: Promise<ReadonlyMap<string, PackedProgram>> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      // The next request tries again.
      loading = undefined;
      throw error;
    });
    return loading;
  };
});

async function load(): Promise<ReadonlyMap<string, PackedProgram>> {
  const files: ProgramFiles = hasSources()
    ? await packPrograms()
    : (await import("./embedded-programs.ts")).EMBEDDED_PROGRAMS;
  return new Map(Object.entries(files).map(([name, each]) => [fileOf(name as ProgramName), packed(each)]));
}

const fileOf = (name: ProgramName): string => `${name}.tgz`;

function packed(files: Readonly<Record<string, string>>): PackedProgram {
  const bytes = tarball(files);
  return { bytes, etag: etagOf(bytes) };
}

/** Returns the package of this server's version. Throws `not_found` for another file. */
export async function clientProgram(ctx: Parameters<typeof programs>[0], file: string): Promise<PackedProgram> {
  const found = (await programs(ctx)()).get(file);
  if (found === undefined) throw fail("not_found");
  return found;
}
