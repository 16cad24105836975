/** Every script of Unicode 17 that a regular expression supports, the most common first. */
const SCRIPTS = (
  "Latin Han Hiragana Katakana Hangul Cyrillic Greek Arabic Hebrew Devanagari Thai Bengali Tamil Telugu Gujarati Gurmukhi Kannada " +
  "Malayalam Oriya Sinhala Myanmar Khmer Lao Tibetan Ethiopic Georgian Armenian Bopomofo Thaana Mongolian Adlam Caucasian_Albanian Ahom " +
  "Imperial_Aramaic Avestan Balinese Bamum Bassa_Vah Batak Beria_Erfe Bhaiksuki Brahmi Braille Buginese Buhid Chakma Canadian_Aboriginal " +
  "Carian Cham Cherokee Chorasmian Coptic Cypro_Minoan Cypriot Dives_Akuru Dogra Deseret Duployan Egyptian_Hieroglyphs Elbasan Elymaic " +
  "Garay Glagolitic Gunjala_Gondi Masaram_Gondi Gothic Grantha Gurung_Khema Hanunoo Hatran Anatolian_Hieroglyphs Pahawh_Hmong " +
  "Nyiakeng_Puachue_Hmong Old_Hungarian Old_Italic Javanese Kayah_Li Kawi Kharoshthi Khojki Khitan_Small_Script Kirat_Rai Kaithi Tai_Tham " +
  "Lepcha Limbu Linear_A Linear_B Lisu Lycian Lydian Mahajani Makasar Mandaic Manichaean Marchen Medefaidrin Mende_Kikakui " +
  "Meroitic_Cursive Meroitic_Hieroglyphs Modi Mro Meetei_Mayek Multani Nag_Mundari Nandinagari Old_North_Arabian Nabataean Newa Nko Nushu " +
  "Ogham Ol_Chiki Ol_Onal Old_Turkic Osage Osmanya Old_Uyghur Palmyrene Pau_Cin_Hau Old_Permic Phags_Pa Inscriptional_Pahlavi " +
  "Psalter_Pahlavi Phoenician Miao Inscriptional_Parthian Rejang Hanifi_Rohingya Runic Samaritan Old_South_Arabian Saurashtra SignWriting " +
  "Shavian Sharada Siddham Sidetic Khudawadi Sogdian Old_Sogdian Sora_Sompeng Soyombo Sundanese Sunuwar Syloti_Nagri Syriac Tagbanwa Takri " +
  "Tai_Le New_Tai_Lue Tangut Tai_Viet Tai_Yo Tifinagh Tagalog Tirhuta Tangsa Todhri Tolong_Siki Toto Tulu_Tigalari Ugaritic Vai Vithkuqi " +
  "Warang_Citi Wancho Old_Persian Cuneiform Yezidi Yi Zanabazar_Square"
).split(" ");

/**
 * Writing systems of several scripts (UTS 39, section 5.1). Each may include Latin ("highly restrictive", section 5.2).
 */
const SYSTEMS: Readonly<Record<string, readonly string[]>> = {
  Latin: ["Chinese", "Japanese", "Korean"],
  Han: ["Chinese", "Japanese", "Korean"],
  Bopomofo: ["Chinese"],
  Hiragana: ["Japanese"],
  Katakana: ["Japanese"],
  Hangul: ["Korean"],
};

const ASCII = /^[\x20-\x7e]*$/;
const ANY_SCRIPT = /^[\p{Script_Extensions=Common}\p{Script_Extensions=Inherited}]$/u;

let compiled: readonly (readonly [script: string, pattern: RegExp])[] | undefined;

function patterns(): readonly (readonly [script: string, pattern: RegExp])[] {
  compiled ??= SCRIPTS.map((script) => [script, new RegExp(`^\\p{Script_Extensions=${script}}$`, "u")] as const);
  return compiled;
}

/** Returns the scripts that use a character; empty for a character without a script. */
const scriptsOf = (char: string): string[] =>
  patterns().flatMap(([script, pattern]) => (pattern.test(char) ? [script] : []));

/**
 * Returns the scripts of a text in order of appearance if they may not be combined; null for a text of one script or
 * one writing system. Signs, digits and emoji can be combined with every script.
 */
export function mixedScripts(text: string): string[] | null {
  if (ASCII.test(text)) return null;
  const seen = new Set<string>();
  let common: ReadonlySet<string> | null = null;
  for (const char of new Set(text)) {
    if (ANY_SCRIPT.test(char)) continue;
    const scripts = scriptsOf(char);
    seen.add(scripts[0] ?? "Unknown");
    const systems = new Set(scripts.flatMap((script) => [script, ...(SYSTEMS[script] ?? [])]));
    common = common === null ? systems : common.intersection(systems);
  }
  return common === null || common.size > 0 ? null : [...seen];
}

/** Scripts whose words are spelled with joiners: a joiner after one of their letters changes how a word looks. */
export const JOINING = `[${"Arab Syrc Mong Nkoo Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Mymr Khmr"
  .split(" ")
  .map((script) => String.raw`\p{sc=${script}}`)
  .join("")}]`;
