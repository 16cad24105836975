/** What this browser keeps between visits. Where it may keep nothing (private windows) all is forgotten with the page. */
export function readKept(name: string): string | null {
  try {
    return localStorage.getItem(`parley.${name}`);
  } catch {
    return null;
  }
}

/** The names of what is kept that begin so. */
export function keptNames(prefix: string): string[] {
  try {
    const own = `parley.${prefix}`;
    return Object.keys(localStorage).flatMap((name) => (name.startsWith(own) ? [name.slice("parley.".length)] : []));
  } catch {
    return [];
  }
}

/** null forgets it. */
export function keep(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`parley.${name}`);
    else localStorage.setItem(`parley.${name}`, value);
  } catch {
    // A full or forbidden store loses a preference, nothing else.
  }
}
