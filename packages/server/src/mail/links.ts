import type { AppContext } from "../context.ts";

/**
 * Returns a link in a mail. It is built from PARLEY_PUBLIC_URL alone: the host of a request is what its sender says.
 * Tokens belong into the fragment, which browsers send to no server. `path` begins with a slash.
 */
export function linkTo({ config }: Pick<AppContext, "config">, path: string): string {
  if (config.publicUrl === null) throw new Error("no mail is made without a public URL");
  return `${config.publicUrl}${path}`;
}
