import { describe, expect, test } from "bun:test";
import { BAD_TEXT, startFakeClamd } from "../../../test/support/files/fake-clamd.ts";
import { eventually } from "../../../test/support/servers/test-server.ts";
import { createLog } from "../../logging/log.ts";
import { scan, scannerVersion } from "./scan.ts";

/** `<host>:<port>` of a real clamd that knows EICAR; the tests then ask it, too. */
const REAL = process.env.PARLEY_TEST_CLAMAV;
const silent = createLog({ level: "silent", readable: false });
const LIMITS = { idleMs: 200, totalMs: 2_000 };
const EICAR = ["X5O!P%@AP[4\\PZX54(P^)7CC)7}$", "EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"].join("");

/** Returns a stream of `size` bytes with a text at the end, and whether its reader has let it go. */
function streamOf(size: number, end = "") {
  const state = { isCancelled: false };
  let left = size;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (left === 0) {
        controller.enqueue(Buffer.from(`${end} `));
        return controller.close();
      }
      const length = Math.min(left, 100_000);
      left -= length;
      controller.enqueue(Buffer.alloc(length, 46));
    },
    cancel() {
      state.isCancelled = true;
    },
  });
  return { stream, state };
}

describe("a scan", () => {
  test("is clean only if the scanner says so after all bytes", async () => {
    await using clamd = await startFakeClamd();
    expect(await scan(clamd, new Blob(["harmless"]), silent)).toBe("clean");
    expect(await scan(clamd, streamOf(3_000_000).stream, silent)).toBe("clean");
    expect(clamd.scanned).toEqual([8, 3_000_001]);
  });

  test("names what was found, also at the end of a large file", async () => {
    await using clamd = await startFakeClamd();
    expect(await scan(clamd, streamOf(5_000_000, BAD_TEXT).stream, silent)).toEqual({ found: "Parley.Test" });
  });

  test("ends when the file is above the scanner's limit", async () => {
    await using clamd = await startFakeClamd();
    // The scanner closes the connection while it is written to, so its answer may be lost: then the file waits, and is
    // scanned again.
    await eventually("the verdict arrives", async () => {
      const { stream, state } = streamOf(200_000_000);
      const verdict = await scan(clamd, stream, silent);
      expect(state.isCancelled).toBe(true);
      if (verdict !== "too large") expect(verdict).toBe("unavailable");
      return verdict === "too large";
    });
  });

  test.each(["silent", "full", "hang up", "error", "babble", "early OK"] as const)(
    "by a scanner in the mode %s gives no verdict",
    async (mode) => {
      await using clamd = await startFakeClamd();
      clamd.mode = mode;
      expect(await scan(clamd, streamOf(6_000_000).stream, silent, LIMITS)).toBe("unavailable");
    },
  );

  test("by a scanner that is away gives no verdict", async () => {
    const clamd = await startFakeClamd();
    await clamd[Symbol.asyncDispose]();
    expect(await scan(clamd, new Blob(["harmless"]), silent)).toBe("unavailable");
    expect(scannerVersion(clamd, 500)).rejects.toThrow();
  });

  test("of bytes that break off gives no verdict", async () => {
    await using clamd = await startFakeClamd();
    const broken = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(Buffer.from("half"));
        controller.error(new Error("the storage is away"));
      },
    });
    expect(await scan(clamd, broken, silent)).toBe("unavailable");
    expect(clamd.scanned).toEqual([]);
  });

  test("by twenty at once keeps the files apart", async () => {
    await using clamd = await startFakeClamd();
    const verdicts = await Promise.all(
      Array.from({ length: 20 }, (_, n) => scan(clamd, streamOf(200_000, n % 2 === 0 ? BAD_TEXT : "").stream, silent)),
    );
    expect(verdicts.map((verdict) => verdict === "clean")).toEqual(verdicts.map((_, n) => n % 2 === 1));
  });
});

if (REAL !== undefined)
  test("a real clamd finds EICAR and passes other files", async () => {
    const [host = "", port] = (REAL ?? "").split(":");
    const clamd = { host, port: Number(port) };
    expect(await scannerVersion(clamd, 5_000)).toStartWith("ClamAV");
    expect(await scan(clamd, new Blob([EICAR]), silent)).toEqual({ found: expect.stringMatching(/eicar/i) });
    expect(await scan(clamd, streamOf(10_000_000).stream, silent)).toBe("clean");
    expect(await scan(clamd, streamOf(60_000_000).stream, silent)).toBe("too large");
  });
