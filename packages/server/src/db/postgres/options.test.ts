import { expect, test } from "bun:test";
import { splitOptions } from "./options.ts";

test.each([
  ["", [], ""],
  ["-c work_mem=8MB", [["work_mem", "8MB"]], ""],
  [
    "-cwork_mem=8MB  --lock-timeout=1s",
    [
      ["work_mem", "8MB"],
      ["lock_timeout", "1s"],
    ],
    "",
  ],
  ["-c datestyle=ISO,\\ DMY", [["datestyle", "ISO, DMY"]], ""],
  ["-c a.b=c=d\\\\e", [["a.b", "c=d\\e"]], ""],
  ["-c a.b=", [["a.b", ""]], ""],
  ["endpoint=ep-cool -c work_mem=8MB", [["work_mem", "8MB"]], "endpoint=ep-cool"],
  ["-B 12 -c", [], "-B 12 -c"],
  ["-c enable_sort", [], "-c enable_sort"],
  ["--", [], "--"],
])("the options %p are split as PostgreSQL splits them", (options, settings, rest) => {
  expect(splitOptions(options)).toEqual({ settings: settings as [string, string][], rest });
});
