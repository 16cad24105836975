import { resolve } from "node:path";
import { fail } from "../errors.ts";
import apple from "./icons/apple-touch-icon.png" with { type: "file" };
import badge from "./icons/badge.png" with { type: "file" };
import icon192 from "./icons/icon-192.png" with { type: "file" };
import icon512 from "./icons/icon-512.png" with { type: "file" };
import maskable512 from "./icons/maskable-512.png" with { type: "file" };

/** The icons that tools/app-icons.ts draws, by the names of their files. */
const ICONS: ReadonlyMap<string, string> = new Map([
  ["apple-touch-icon.png", apple],
  ["badge.png", badge],
  ["icon-192.png", icon192],
  ["icon-512.png", icon512],
  ["maskable-512.png", maskable512],
]);

/** Returns an icon of the installed app, as a PNG. Throws `not_found` if there is none of that name. */
export function appIcon(name: string): Blob {
  const path = ICONS.get(name);
  if (path === undefined) throw fail("not_found");
  return Bun.file(resolve(import.meta.dir, path));
}
