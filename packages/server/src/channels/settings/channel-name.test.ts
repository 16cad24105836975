import { describe, expect, test } from "bun:test";
import { channelName } from "./channel-name.ts";

describe("channelName", () => {
  test.each([
    ["  General chat ", "General chat"],
    ["聊天", "聊天"],
    ["#", "#"],
    ["👩‍👩‍👧", "👩‍👩‍👧"],
    ["x".repeat(64), "x".repeat(64)],
    ["🎉".repeat(64), "🎉".repeat(64)],
  ])("%j is stored as %j", (text, name) => {
    expect(channelName(text)).toBe(name);
  });

  test.each([
    [""],
    ["   "],
    ["\u200b"],
    ["\u3164"],
    ["\u2800"],
    ["two\nlines"],
    ["nul\0"],
    ["\u202egnp.exe"],
    ["x".repeat(65)],
    ["🎉".repeat(65)],
  ])("%j is refused", (text) => {
    expect(() => channelName(text)).toThrow(expect.objectContaining({ code: "invalid_channel_name" }));
  });
});
