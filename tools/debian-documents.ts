/** The documents that Debian's policy expects in a package: a change log, and a manual page for each program. */
import { overview } from "../packages/server/src/command-line/help.ts";
import { programName } from "../packages/server/src/command-line/program.ts";

const SECTION = 1;
const SECTION_OF_ADMINISTRATION = 8;

/** The maintainer of a package that no distribution has. The domain exists for no one (RFC 2606). */
export const MAINTAINER = "The Parley authors <maintainers@parley.invalid>";

/** Returns the change log of the package, compressed as the policy asks. Its details are in the project's CHANGELOG.md. */
export function changelog(version: string, at: Date): Uint8Array<ArrayBuffer> {
  const date = at.toUTCString().replace("GMT", "+0000");
  const text = `parley (${version}) unstable; urgency=medium\n\n  * Release ${version}. CHANGELOG.md in the source lists what is new.\n\n -- ${MAINTAINER}  ${date}\n`;
  return compressed(text);
}

/** Returns the manual pages by their paths in the package. */
export function manualPages(): Record<string, Uint8Array<ArrayBuffer>> {
  const help = overview().replaceAll(programName(), "parley");
  return {
    [`usr/share/man/man${SECTION}/parley.${SECTION}.gz`]: compressed(
      page(
        `PARLEY ${SECTION}`,
        "parley \\- chat server where people and agents share channels",
        "parley <command> [options]",
        help,
      ),
    ),
    [`usr/share/man/man${SECTION_OF_ADMINISTRATION}/parleyctl.${SECTION_OF_ADMINISTRATION}.gz`]: compressed(
      page(
        `PARLEYCTL ${SECTION_OF_ADMINISTRATION}`,
        "parleyctl \\- run a command of Parley as its user and with the settings of the service",
        "parleyctl <command> [options]",
        "parleyctl needs root. The settings are in /etc/parley.env, the data in /var/lib/parley.\nparley(1) lists the commands.",
      ),
    ),
  };
}

const page = (title: string, name: string, synopsis: string, text: string): string =>
  `.TH ${title}\n.SH NAME\n${name}\n.SH SYNOPSIS\n${escaped(synopsis)}\n.SH DESCRIPTION\n.nf\n${escaped(text)}\n.fi\n`;

/** A backslash, a hyphen, and a dot or a quote at the start of a line have a meaning to roff. */
const escaped = (text: string): string =>
  text
    .replaceAll("\\", "\\\\")
    .replaceAll("-", "\\-")
    .replace(/^(?=[.'])/gm, "\\&");

/** Without the time and the name of the file, so that the same version always gives the same bytes. */
const compressed = (text: string): Uint8Array<ArrayBuffer> => Bun.gzipSync(text, { level: 9 });
