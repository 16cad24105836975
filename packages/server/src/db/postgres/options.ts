/** A setting of a session: name and value. */
export type Setting = readonly [name: string, value: string];

/**
 * Splits the `options` of a connection, as PostgreSQL does, into the settings (`-c name=value`, `-cname=value`,
 * `--name=value`) and the rest, such as the name of an endpoint at a hosted database. A `\` keeps the character after
 * it.
 */
export function splitOptions(options: string): { settings: Setting[]; rest: string } {
  const words = options.match(/(?:\\[\s\S]|[^\s\\])+/g) ?? [];
  const settings: Setting[] = [];
  const rest: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    const isApart = word === "-c" && words[at + 1] !== undefined;
    const setting = isApart ? words[at + 1] : /^(?:-c|--)(?=.)/.test(word) ? word.slice(2) : undefined;
    const [, name, value] = /^([^=]+)=([\s\S]*)$/.exec(setting ?? "") ?? [];
    if (name === undefined || value === undefined) {
      rest.push(word);
      continue;
    }
    settings.push([name.replaceAll("-", "_"), value.replace(/\\([\s\S])/g, "$1")]);
    if (isApart) at++;
  }
  return { settings, rest: rest.join(" ") };
}
