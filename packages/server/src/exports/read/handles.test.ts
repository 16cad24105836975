import { expect, test } from "bun:test";
import { Handles } from "./handles.ts";

test("names become those that other chats allow, each only once", () => {
  const handles = new Handles(["deleted-user"]);
  const names = ["Ada", "ada", "My Bot", "Jürgen.K", "系统", "here", "deleted-user", "..", "x".repeat(99)];
  expect(names.map((name) => handles.of(name))).toEqual([
    "ada",
    "ada-2",
    "my-bot",
    "jurgen.k",
    "xitong",
    "here-2",
    "deleted-user-2",
    "unnamed",
    "x".repeat(60),
  ]);
});
