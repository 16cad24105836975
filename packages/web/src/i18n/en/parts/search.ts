/** English texts of the search's filters. */
export const EN_SEARCH = {
  searchHint: 'Words or "a phrase"',
  searchHere: "Only in this channel",
  noResults: "No results.",
  filters: "Filters",
  from: "From",
  in: "In",
  after: "After",
  before: "Before",
  anywhere: "Any channel",
  has: "Contains",
  is: "Kind",
  any: "Anything",
  facts: {
    has: { file: "A file", image: "A picture", link: "A link", card: "A card", reaction: "A reaction" },
    is: { pinned: "Pinned", thread: "In a thread", edited: "Edited", mine: "Mine" },
  },
  filterHint: 'Or type them: from:ada in:general after:2026-11-01 has:file is:pinned "exact words"',
  removeFilter: (filter: string) => `Remove the filter ${filter}`,
  searchAll: "Search all channels",
  noWords: "Enter a word or a name to search for, or what to look for in one channel.",
  unknownOperator: (name: string) =>
    `"${name}:" is no filter here, so it is searched for as text. Filters are from:, in:, has:, is:, after:, before: and on:.`,
  wrongFact: (filter: string) =>
    `${filter} is no filter here. There are has:file, image, link, card and reaction, and is:pinned, thread, edited and mine.`,
  wrongDate: (filter: string) => `${filter} needs a date such as 2026-11-01.`,
};
