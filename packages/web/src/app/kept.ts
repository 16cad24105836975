/** What this browser keeps between visits. Where it may keep nothing (private windows) all is forgotten with the page. */
export function readKept(name: string): string | null {
  try {
    return localStorage.getItem(`parley.${name}`);
  } catch {
    return null;
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
