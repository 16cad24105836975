import type { AppContext } from "../../context.ts";

const RESERVED = new Set(
  "admin api channel claim error files help landing login oauth playbooks plug plugins post signup boards threads".split(
    " ",
  ),
);

/** Returns the name of the team that stands for this server: made of its address, as Mattermost allows names. */
export function teamOf({ publicUrl }: AppContext["config"]): { name: string; display_name: string } {
  const host = publicUrl === null ? "" : new URL(publicUrl).hostname;
  const name = host
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60);
  return name.length < 2 || RESERVED.has(name)
    ? { name: "parley", display_name: "Parley" }
    : { name, display_name: host.slice(0, 64) };
}
