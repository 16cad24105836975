import { existsSync } from "node:fs";
import { systemClock } from "../clock.ts";
import type { Config } from "../config/config.ts";
import type { DatabaseFacts } from "../db/inspect.ts";
import { isReadable } from "../db/inspect.ts";
import { readSnapshot } from "../db/snapshot.ts";
import { createLog } from "../logging/log.ts";
import { spaceAt } from "../metrics/disk.ts";
import type { Finding } from "../module.ts";
import { scannerVersion } from "./scan/scan.ts";
import { expectedBytes } from "./storage/expected-bytes.ts";
import { openS3, openStorage } from "./storage/open-storage.ts";

const PATIENCE_MS = 5_000;
/** Uploads that refuse with `storage_full` begin here, too. */
const FREE_SHARE_MIN = 0.05;
/** Younger bytes without a row may belong to an upload whose row is not committed yet. */
const ORPHAN_MS = 24 * 3_600_000;

const check = "files";
const found = (state: Finding["state"], text: string): Finding => ({ check, state, text });
const log = createLog({ level: "silent", readable: true });

/** Checks the place of files, compares it with the database in both directions, and asks the virus scanner. */
export async function checkFiles(config: Config, facts: DatabaseFacts | Error | null): Promise<Finding[]> {
  const place =
    config.files.kind === "folder" ? checkFilesFolder(config, config.files.path) : await checkBucket(config);
  const isThere = config.files.kind === "s3" || existsSync(config.files.path);
  const compared =
    isReadable(facts) && place.every(({ state }) => state !== "problem") ? await compare(config, isThere) : [];
  return [...place, ...compared, ...(await checkScanner(config))];
}

function checkFilesFolder({ redisUrls }: Config, folder: string): Finding[] {
  const { free, size } = spaceAt(folder);
  const share = size === 0 ? 1 : free / size;
  const percent = `${Math.round(share * 100)} % free`;
  return [
    share < FREE_SHARE_MIN
      ? found("problem", `only ${percent} in ${folder}; free some space, because uploads are refused below 5 %`)
      : found("ok", `in ${folder}, ${percent}`),
    ...(redisUrls.length === 0
      ? []
      : [found("advice", `${folder} must be the same shared folder on all nodes; or use a bucket (PARLEY_FILES)`)]),
  ];
}

async function checkBucket(config: Config): Promise<Finding[]> {
  const name = config.files.kind === "s3" ? `s3://${config.files.bucket}/${config.files.prefix}` : "";
  try {
    await openS3(config, log, { create: false }).probe();
    return [found("ok", `the bucket ${name} answers`)];
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    const text = `the bucket ${name} cannot be used (${code ?? message}); check PARLEY_FILES and the settings PARLEY_S3_*`;
    return [found("problem", text)];
  }
}

async function compare(config: Config, isThere: boolean): Promise<Finding[]> {
  const { needed, known } = await readSnapshot(config.database, systemClock, expectedBytes);
  const stored = new Map<string, number>();
  let orphans = 0;
  let orphanBytes = 0;
  if (isThere) {
    const before = systemClock.now() - ORPHAN_MS;
    for await (const { key, sizeBytes, storedAt } of openStorage(config, log, { create: false }).list()) {
      stored.set(key, sizeBytes);
      if (known.has(key) || storedAt > before) continue;
      orphans++;
      orphanBytes += sizeBytes;
    }
  }
  let lost = [...needed].filter(([, { size, key }]) => stored.get(key) !== size);
  if (lost.length > 0) {
    // A file that was deleted meanwhile is not lost.
    const now = await readSnapshot(config.database, systemClock, expectedBytes);
    lost = lost.filter(([sha256]) => now.needed.has(sha256));
  }
  const findings: Finding[] = [];
  if (lost.length > 0) {
    const example = lost[0]?.[0] ?? "";
    const text = `${lost.length} of ${needed.size} have lost their bytes (such as ${example}); run: parley files restore <folder of a backup>`;
    findings.push(found("problem", text));
  } else findings.push(found("ok", `${needed.size} in the database, all with their bytes`));
  if (orphans > 0) {
    const text = `${orphans} stored for more than a day belong to no message (${orphanBytes} bytes), as after a restore; they are harmless, and may be deleted while no server runs`;
    findings.push(found("advice", text));
  }
  return findings;
}

async function checkScanner({ clamav, fileMaxMib }: Config): Promise<Finding[]> {
  if (clamav === null) return [];
  const name = "virus scanner";
  try {
    return [
      {
        check: name,
        state: "ok",
        text: `${await scannerVersion(clamav, PATIENCE_MS)} answers; its StreamMaxLength must be at least ${fileMaxMib}M`,
      },
    ];
  } catch (error) {
    const text = `does not answer at ${clamav.host}:${clamav.port} (${(error as Error).message}); files wait until it does, so start it or unset PARLEY_CLAMAV`;
    return [{ check: name, state: "problem", text }];
  }
}
