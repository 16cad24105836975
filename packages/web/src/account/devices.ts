/** Browsers and systems by user-agent patterns. The first match wins, because many user agents also name others. */
const BROWSERS: readonly [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/\bHeadlessChrome\/|\bChrome\/|\bCriOS\//, "Chrome"],
  [/\bSafari\//, "Safari"],
  [/\bcurl\//, "curl"],
];
const SYSTEMS: readonly [RegExp, string][] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b|\bMacintosh\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];
const SHOWN = 60;

/** Returns `Chrome, Linux`, or the raw user agent of an unknown program; null if it is empty. */
export function deviceOf(userAgent: string | null): string | null {
  if (userAgent === null || userAgent.trim() === "") return null;
  const named = (list: readonly [RegExp, string][]) => list.find(([pattern]) => pattern.test(userAgent))?.[1];
  const parts = [named(BROWSERS), named(SYSTEMS)].filter((part) => part !== undefined);
  if (parts.length > 0) return parts.join(", ");
  return userAgent.length > SHOWN ? `${userAgent.slice(0, SHOWN)}…` : userAgent;
}
