import { describe, expect, test } from "bun:test";
import { ERRORS, type ErrorCode } from "@parley/protocol/errors";
import { ParleyError } from "@parley/sdk";
import { errorsByStatus } from "../../../server/src/documents/route-errors.ts";
import type { Route } from "../../../server/src/http/route.ts";
import { allRoutes } from "../../../server/src/modules.ts";
import { adviceFor } from "../../src/claim/error-advice.ts";
import { loadClaimTexts } from "../../src/i18n/claim-texts.ts";
import { errorMessage, UNREACHABLE_CODES } from "../../src/i18n/error-message.ts";
import { UserFacingError } from "../../src/i18n/user-facing-error.ts";

const [en, zh] = await Promise.all([loadClaimTexts("en"), loadClaimTexts("zh")]);
const [EN_ERRORS, ZH_ERRORS] = [en.reasons, zh.reasons];
const SERVERS_WORDS = "The words of the server.";
const CODES = Object.keys(ERRORS) as ErrorCode[];
const unmet: readonly ErrorCode[] = Object.values(UNREACHABLE_CODES).flat();
const codesOf = (route: Route): ErrorCode[] => [...errorsByStatus(route).values()].flat();
const inBoth = (error: ParleyError) => [errorMessage(error, EN_ERRORS), errorMessage(error, ZH_ERRORS)];

describe("every error code", () => {
  test.each(CODES)("%s has a text or is listed as never met, but not both", (code) => {
    expect(Object.hasOwn(EN_ERRORS.codes, code)).toBe(!unmet.includes(code));
  });

  test("is listed at most once as never met, and the list has no others", () => {
    expect(new Set(unmet).size).toBe(unmet.length);
    expect(unmet.filter((code) => !CODES.includes(code))).toEqual([]);
  });

  test("has a Chinese text, whatever the server says", () => {
    const spoken = Object.keys(ZH_ERRORS.codes).map((code) =>
      errorMessage(new ParleyError(code, SERVERS_WORDS), ZH_ERRORS),
    );
    expect(spoken.filter((text) => !/\p{Script=Han}.*。$/u.test(text))).toEqual([]);
  });

  test("has an English text of the page's own, except where the server is more exact", () => {
    const spoken = Object.keys(EN_ERRORS.codes).filter(
      (code) => errorMessage(new ParleyError(code, SERVERS_WORDS), EN_ERRORS) === SERVERS_WORDS,
    );
    expect(spoken).toEqual(["invalid_request", "forbidden", "weak_password", "post_policy", "invalid_query"]);
  });
});

describe("an error code that the chat never meets", () => {
  const isForKeys = ({ auth, path }: Route) =>
    auth === "agent" || path.startsWith("/api/agenthub/") || path.startsWith("/api/hooks/");

  test("is returned only to programs and the claim page", () => {
    const elsewhere = allRoutes()
      .filter((route) => !isForKeys(route))
      .flatMap(({ errors }) => errors);
    const { byKey, onClaimPage } = UNREACHABLE_CODES;
    expect([...byKey, ...onClaimPage].filter((code) => elsewhere.includes(code))).toEqual([]);
  });

  test("has a text on the claim page if that can meet it", () => {
    const met = allRoutes()
      .filter(({ path }) => /\/agent-api-key\/(networks|verification-code|verify-tweet|recover)$/.test(path))
      .flatMap(codesOf);
    const isUnsaid = (code: ErrorCode) => adviceFor(new ParleyError(code, SERVERS_WORDS), en).text === SERVERS_WORDS;
    // These are not responses to requests of the page.
    const { byKey, wellFormed } = UNREACHABLE_CODES;
    const others: readonly ErrorCode[] = ["invalid_request", ...byKey, ...wellFormed];
    expect(met.filter(isUnsaid).filter((code) => !others.includes(code))).toEqual([]);
  });
});

describe("the details of an error appear in its text", () => {
  test.each([
    [
      "rate_limited",
      { retryAfter: 45 },
      "Too many attempts. Try again in 45 seconds.",
      "操作过于频繁。请在 45 秒后重试。",
    ],
    ["rate_limited", { retryAfter: 0 }, "Too many attempts. Try again in 1 second.", "操作过于频繁。请在 1 秒后重试。"],
    [
      "slow_mode",
      { retryAfter: 900 },
      "This channel is in slow mode. Try again in 15 minutes.",
      /慢速模式。请在 15 分钟后重试。$/,
    ],
    [
      "rate_limited",
      { retryAfter: 7_201 },
      "Too many attempts. Try again in 3 hours.",
      "操作过于频繁。请在 3 小时后重试。",
    ],
    ["body_too_large", { details: { limit_bytes: 409_600 } }, "This is too large. The limit is 400 KiB.", /400 KiB/],
    ["file_too_large", {}, "This file is too large. The limit is 512 KiB.", /512 KiB/],
    [
      "owns_channels",
      { details: { channels: [{ name: "tea" }, { name: "cake" }] } },
      "Transfer or delete the channels of this account first: #tea, #cake.",
      /：#tea、#cake。$/,
    ],
    ["owns_channels", {}, "Transfer or delete the channels of this account first.", /转让或删除它们。$/],
    [
      "invalid_request",
      { details: [{ path: "topic", message: "must not have more than 250 characters" }] },
      "The server didn't accept this: topic must not have more than 250 characters.",
      "以下内容填写有误：话题。",
    ],
    ["invalid_answer", { status: 502 }, "the server (status 502). Try again.", "服务器（状态码 502），请重试。"],
    ["invalid_answer", {}, "The response didn't come from the server. Try again.", "服务器，请重试。"],
    ["weak_password", { details: { min_length: 12, max_length: 128 } }, SERVERS_WORDS, "密码须为 12 至 128 个字符。"],
    ["weak_password", { details: { reason: "common" } }, SERVERS_WORDS, /常见/],
    ["weak_password", {}, SERVERS_WORDS, "密码过短、过长或过于常见，请换一个。"],
    ["not_eligible", { details: { reason: "banned" } }, /^You're banned/, /封禁/],
    ["not_eligible", { details: { reason: "not_a_member" } }, /^Only members/, /成员/],
    ["banned", { details: { until: null } }, "You're banned from this channel.", "你已被此频道封禁。"],
    ["muted", { details: "nonsense" }, "You're muted in this channel.", "你在此频道被禁言。"],
  ])("for %s with %j", (code, more, english, chinese) => {
    const [inEnglish, inChinese] = inBoth(new ParleyError(code, SERVERS_WORDS, more));
    expect(inEnglish).toMatch(english);
    expect(inChinese).toMatch(chinese);
  });

  test("for a code of a newer server the server's text is shown, and an exception as itself", () => {
    expect(inBoth(new ParleyError("code_of_later", "Not today."))).toEqual(["Not today.", "Not today."]);
    expect(errorMessage(new Error("broken"), ZH_ERRORS)).toBe("页面出错了：Error: broken");
    expect(errorMessage(new UserFacingError("已经说过。"), ZH_ERRORS)).toBe("已经说过。");
  });
});
