/** English texts of the picker of emoji. */
export const EN_EMOJI = {
  search: "Search emoji",
  none: "No emoji found.",
  groups: "Groups of emoji",
  group: {
    own: "Recent and common",
    0: "Smileys and emotions",
    1: "People and body",
    3: "Animals and nature",
    4: "Food and drink",
    5: "Travel and places",
    6: "Activities",
    7: "Objects",
    8: "Symbols",
    9: "Flags",
  },
  tone: "Skin tone",
  tones: ["Default", "Light", "Medium-light", "Medium", "Medium-dark", "Dark"],
};
