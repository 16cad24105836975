/** Scripts whose words are spelled with joiners: a joiner after one of their letters changes how a word looks. */
export const JOINING = `[${"Arab Syrc Mong Nkoo Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Mymr Khmr"
  .split(" ")
  .map((script) => String.raw`\p{sc=${script}}`)
  .join("")}]`;
