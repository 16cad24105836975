import type { GuidePage } from "../../module.ts";

/** A page of the guide with its text. */
export interface LoadedPage extends Pick<GuidePage, "name" | "about" | "part"> {
  source: string;
  text: string;
}

/** Loads the texts of all pages, which take 300 KB. */
export const loadPages = (pages: readonly GuidePage[]): Promise<LoadedPage[]> =>
  Promise.all(
    pages.map(async ({ name, source = `docs/guide/${name}.md`, text, about, part }) => {
      return { name, source, text: (await text()).default, about, part };
    }),
  );
