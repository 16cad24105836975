import { expect } from "bun:test";

/**
 * Fetches the pages of a server as a browser does. `asked` lists the files that they request. `get` fetches a path and
 * expects it to exist.
 */
export async function visitSite(url: string) {
  const get = async (path: string): Promise<string> => {
    const answer = await fetch(`${url}${path}`);
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.text();
  };
  const pages = await Promise.all(["/", "/claim", "/docs"].map(get));
  const asked = pages.flatMap((html) =>
    [...html.matchAll(/(?:src|href)="(\/[^"]+\.\w+)"/g)].map(([, path = ""]) => path),
  );
  expect(asked.length).toBeGreaterThan(6);
  return { get, asked };
}
