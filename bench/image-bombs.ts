/**
 * `node_modules/.bin/bun bench/image-bombs.ts [seconds]`: measures sends, logins and readiness of a server in the
 * production profile while four accounts upload images that are expensive to decode, eight at once, as fast as the
 * rates allow. Prints the latencies for each kind of image, and first without any.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jpegOfScans } from "../packages/server/test/support/fuzz/jpeg-bombs.ts";
import { png } from "../packages/server/test/support/pngs.ts";
import { serverBundle } from "../tools/server-bundle.mjs";
import { percentile } from "./statistics.ts";

const ROOT = new URL("..", import.meta.url).pathname;
const SECONDS = Number(process.argv[2] ?? 20);
const SENDERS = 8;
const UPLOADERS = 4;
const CONCURRENT_UPLOADS = 8;
const PASSWORD = "correct horse battery staple";
const JSON_TYPE = { "content-type": "application/json" };

const images: Record<string, Buffer | null> = {
  "no images": null,
  "JPEGs with 21,576 scans": jpegOfScans(21_576),
  "JPEGs with 100 scans": jpegOfScans(100),
  "PNGs of noise": png(500, 500, { noise: true }),
};

type Kind = "send" | "login" | "ready";
interface Sample {
  kind: Kind;
  ms: number;
  status: number;
}

async function call(url: string, path: string, method = "GET", body?: object, cookie = ""): Promise<Response> {
  const init = { method, headers: { ...JSON_TYPE, cookie } };
  const answer = await fetch(url + path, body === undefined ? init : { ...init, body: JSON.stringify(body) });
  await answer.arrayBuffer();
  return answer;
}

async function register(url: string, username: string): Promise<string> {
  const answer = await call(url, "/api/auth/register", "POST", { username, password: PASSWORD });
  if (answer.status !== 201) throw new Error(`${username} could not register: ${answer.status}`);
  return answer.headers.getSetCookie().map((text) => text.split(";")[0])[0] ?? "";
}

/** Calls `act` at a constant rate until the given time, without waiting for the previous call. */
async function repeat(everyMs: number, until: number, act: () => Promise<void>): Promise<void> {
  const all: Promise<void>[] = [];
  for (; performance.now() < until; await Bun.sleep(everyMs)) all.push(act());
  await Promise.all(all);
}

async function measure(url: string, senders: string[], uploaders: string[], image: Buffer | null): Promise<void> {
  const samples: Sample[] = [];
  const uploads = new Map<number, number>();
  const timed = async (kind: Kind, act: () => Promise<Response>) => {
    const start = performance.now();
    const { status } = await act();
    samples.push({ kind, ms: performance.now() - start, status });
  };
  const until = performance.now() + SECONDS * 1_000;
  const login = { username: "sender_0", password: PASSWORD };
  const text = { channel_slug: "general", content: "Is anybody there?" };
  const avatar = image?.toString("base64");
  const upload = async (cookie: string, name: string) => {
    const { status } = await call(url, `/api/user/${name}`, "PUT", { avatar }, cookie);
    uploads.set(status, (uploads.get(status) ?? 0) + 1);
  };
  await Promise.all([
    ...senders.map((cookie) =>
      repeat(1_100, until, () => timed("send", () => call(url, "/api/messages", "POST", text, cookie))),
    ),
    repeat(3_500, until, () => timed("login", () => call(url, "/api/auth/login", "POST", login))),
    repeat(700, until, () => timed("ready", () => call(url, "/readyz"))),
    ...(avatar === undefined ? [] : uploaders).map((cookie, at) =>
      repeat(1_000 * CONCURRENT_UPLOADS, until, async () => {
        await Promise.all(
          Array.from({ length: CONCURRENT_UPLOADS / UPLOADERS }, () => upload(cookie, `uploader_${at}`)),
        );
      }),
    ),
  ]);
  for (const kind of ["send", "login", "ready"] as const) {
    const all = samples.filter((sample) => sample.kind === kind);
    const times = all.map(({ ms }) => ms);
    const failed = all.filter(({ status }) => status >= 400).length;
    const [p50, p99, worst] = [percentile(times, 0.5), percentile(times, 0.99), Math.max(...times)].map(Math.round);
    console.log(
      `  ${kind.padEnd(6)} ${all.length} answers, p50 ${p50} ms, p99 ${p99} ms, worst ${worst} ms, ${failed} refused`,
    );
  }
  if (avatar !== undefined) console.log(`  uploads by status: ${JSON.stringify(Object.fromEntries(uploads))}`);
}

const folder = mkdtempSync(join(tmpdir(), "parley-image-bombs-"));
const port = 20_000 + Math.floor(Math.random() * 10_000);
const url = `http://127.0.0.1:${port}`;
const server = Bun.spawn([process.execPath, serverBundle(ROOT, process.execPath), "serve"], {
  cwd: ROOT,
  env: {
    PORT: String(port),
    PARLEY_DATA_DIR: folder,
    PARLEY_PROFILE: "production",
    PARLEY_PUBLIC_URL: url,
    PARLEY_LOG_LEVEL: "error",
  },
  stdout: "inherit",
  stderr: "inherit",
});
try {
  const isUp = () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isUp())) await Bun.sleep(50);
  const senders: string[] = [];
  const uploaders: string[] = [];
  for (let i = 0; i < SENDERS; i++) senders.push(await register(url, `sender_${i}`));
  for (let i = 0; i < UPLOADERS; i++) uploaders.push(await register(url, `uploader_${i}`));
  for (const [name, image] of Object.entries(images)) {
    console.log(`${name}${image === null ? "" : ` (${image.length} bytes)`}`);
    await measure(url, senders, uploaders, image);
  }
} finally {
  server.kill();
  await server.exited;
  rmSync(folder, { recursive: true, force: true });
}
