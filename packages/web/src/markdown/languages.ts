/** Longer code has no colours. */
export const COLOURED_MAX = 10_000;

/** The languages that have colours, with the names by which code blocks call them. */
export const LANGUAGES = {
  bash: ["bash", "sh", "shell", "zsh", "console"],
  c: ["c", "h"],
  cpp: ["cpp", "c++", "cc", "hpp"],
  csharp: ["csharp", "cs", "c#"],
  css: ["css"],
  diff: ["diff", "patch"],
  dockerfile: ["dockerfile", "docker"],
  go: ["go", "golang"],
  ini: ["ini", "toml"],
  java: ["java"],
  javascript: ["javascript", "js", "jsx", "mjs", "cjs"],
  json: ["json", "jsonc", "json5"],
  kotlin: ["kotlin", "kt"],
  markdown: ["markdown", "md"],
  php: ["php"],
  python: ["python", "py"],
  ruby: ["ruby", "rb"],
  rust: ["rust", "rs"],
  sql: ["sql", "postgresql", "sqlite"],
  swift: ["swift"],
  typescript: ["typescript", "ts", "tsx"],
  xml: ["xml", "html", "svg", "vue"],
  yaml: ["yaml", "yml"],
} as const;
export type Language = keyof typeof LANGUAGES;

const BY_NAME = new Map(
  Object.entries(LANGUAGES).flatMap(([language, names]) => names.map((name) => [name as string, language as Language])),
);

/** Returns the language that a code block names; null if it names none that has colours. */
export const languageNamed = (name: string | null): Language | null => BY_NAME.get(name?.toLowerCase() ?? "") ?? null;
