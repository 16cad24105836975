import { USERNAME_MAX, USERNAME_MIN } from "@parley/protocol/limits";
import type { AppContext } from "../../context.ts";
import { isUsername, nameInTheWay } from "../names/names.ts";

/** Leaves room for `-2`, `-3`, … */
const BASE_MAX = USERNAME_MAX - 6;
/** The name of people whose own has no letters. */
const FALLBACK = "user";
/** Numbers that are tried before chance decides. */
const NUMBERS = 50;

/**
 * Returns a free username like the name that the provider has: in Latin letters, without the domain of an address, and
 * with a number if the name or one like it is taken or reserved. Another registration may take it meanwhile.
 */
export async function freeUsername(ctx: AppContext, name: string): Promise<string> {
  const base = await usernameOf(name);
  for (let number = 1; number <= NUMBERS; number += 1) {
    const candidate = number === 1 ? base : `${base}-${number}`;
    if (isUsername(candidate) && (await nameInTheWay(ctx.db, candidate)) === null) return candidate;
  }
  return `${base}-${Buffer.from(ctx.clock.random(2)).toString("hex")}`;
}

/** Returns the characters of a name that a username may have. */
export async function usernameOf(name: string): Promise<string> {
  const local = name.replace(/@.*$/su, "").normalize("NFKC").slice(0, 200);
  const latin = /^[\x20-\x7e]*$/.test(local) ? local : await inLatin(local);
  const base = latin
    .trim()
    .replace(/[^A-Za-z0-9_.-]+/g, ".")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, BASE_MAX)
    .replace(/[^A-Za-z0-9]+$/, "");
  return base.length < USERNAME_MIN ? FALLBACK : base;
}

/** Its table takes 4 MB, so it is loaded on first use. */
async function inLatin(text: string): Promise<string> {
  const { default: anyAscii } = await import("any-ascii");
  return anyAscii(text);
}
