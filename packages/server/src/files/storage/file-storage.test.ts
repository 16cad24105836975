import { expect, test } from "bun:test";
import { isStorageFull, isUnavailable } from "../../db/database.ts";
import { storageFailure } from "./file-storage.ts";

test.each(["ECONNREFUSED", "ETIMEDOUT", "ENOTFOUND", "EPIPE"])(
  "a bucket that fails with %s is not taken for the database, neither in the log nor in the answer",
  (code) => {
    const logged: unknown[] = [];
    const log = { error: ({ err }: { err: unknown }) => void logged.push(err) };
    const error = Object.assign(new Error(code), { code });
    expect(isUnavailable(error)).toBe(true);
    const failure = storageFailure(log, "write a file", error);
    expect(failure.code).toBe("storage_unavailable");
    expect(logged).toHaveLength(1);
    for (const seen of [failure, ...logged]) expect([isUnavailable(seen), isStorageFull(seen)]).toEqual([false, false]);
  },
);

test("a full disk is storage_full", () => {
  const log = { error: () => {} };
  expect(storageFailure(log, "write a file", Object.assign(new Error("full"), { code: "ENOSPC" })).code).toBe(
    "storage_full",
  );
});
