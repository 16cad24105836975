import { expect, test } from "bun:test";
import { AVATAR_BYTES } from "@parley/protocol/limits";
import { jpegOfScans } from "../../test/support/fuzz/jpeg-bombs.ts";
import { reencodePicture, runPictureProgram } from "./picture-process.ts";
import { inspectPicture } from "./picture-structure.ts";

const NOTHING = new Uint8Array();
const refused = (act: Promise<unknown>) => act.then(() => undefined).catch((error) => error.code);

test("the child re-encodes a picture in its own format", async () => {
  const { format, bytes } = await reencodePicture(jpegOfScans(10), "jpeg");
  expect(format).toBe("jpeg");
  expect(inspectPicture(bytes)).toEqual({ format: "jpeg", width: 1_024, height: 1_024 });
  expect(await refused(reencodePicture(new Uint8Array([1, 2, 3]), "jpeg"))).toBe("invalid_avatar");
});

test("the child has neither the server's environment nor its open files", async () => {
  const program = `
    const { readdirSync, readlinkSync } = require("node:fs");
    const files = readdirSync("/proc/self/fd").map((fd) => { try { return readlinkSync("/proc/self/fd/" + fd); } catch { return ""; } });
    console.log(JSON.stringify({ env: Object.keys(process.env), files: files.filter((file) => /sqlite|^socket.*listen/.test(file)) }));`;
  const { output } = await runPictureProgram(program, NOTHING);
  expect(JSON.parse(Buffer.from(output).toString())).toEqual({ env: ["BUN_BE_BUN"], files: [] });
});

test.each([
  ["never stops computing", "for (;;);"],
  ["never exits", "setInterval(() => {}, 1_000);"],
  ["exceeds its memory limit", "const kept = []; for (;;) kept.push(Buffer.alloc(10_000_000, 1));"],
  ["never stops writing", "const text = 'x'.repeat(65_536); for (;;) await Bun.write(Bun.stdout, text);"],
  ["dies from a signal", "process.kill(process.pid, 'SIGSEGV'); setInterval(() => {}, 1_000);"],
])(
  "a child that %s is killed and returns no picture",
  async (_, program) => {
    const { exitCode } = await runPictureProgram(program, jpegOfScans(1));
    expect(exitCode).not.toBe(0);
  },
  30_000,
);

test("a child that gets no CPU time counts as late, and one that computes too long does not", async () => {
  const limits = { cpuMs: 1_000, wallMs: 300, memory: 256 * 1024 * 1024, output: 1_024 };
  const outcomeOf = async (program: string, more: object = {}) =>
    (await runPictureProgram(program, NOTHING, { ...limits, ...more })).isLate;
  expect(await outcomeOf("setInterval(() => {}, 1_000);")).toBe(true);
  expect(await outcomeOf("for (;;);", { cpuMs: 100, wallMs: 60_000 })).toBe(false);
});

test("a process that the child left behind with its output open delays no other picture", async () => {
  const program = `
    const left = Bun.spawn(["sleep", "5"], { stdout: "inherit", stdin: "ignore" });
    process.stderr.write("", () => process.exit(0));`;
  const { exitCode } = await runPictureProgram(program, NOTHING);
  expect(exitCode).toBeNull();
});

test.each([
  ["nothing", ""],
  ["garbage", "console.log('<script>');"],
  ["a picture that is too wide", "process.stdout.write(Buffer.from('47494638396101100100', 'hex'));"],
  ["more bytes than a picture may have", `process.stdout.write(Buffer.alloc(${AVATAR_BYTES + 1}));`],
])(
  "a child's output is rejected: %s",
  async (_, program) => {
    expect(await refused(reencodePicture(jpegOfScans(1), "jpeg", program))).toBe("invalid_avatar");
  },
  30_000,
);
