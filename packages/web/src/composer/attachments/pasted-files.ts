/** The part of a clipboard's data that matters here. */
interface Pasted {
  files: ArrayLike<File>;
  getData(format: string): string;
}

/**
 * Returns the files of a paste; none if it is text. Spreadsheets also offer a picture of their text, and file managers
 * also offer the names of their files.
 */
export function pastedFiles(data: Pasted): readonly File[] {
  const files = Array.from(data.files);
  const lines = data
    .getData("text/plain")
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "");
  const isNames = lines.every((line) => files.some(({ name }) => line === name || line.endsWith(`/${name}`)));
  return isNames ? files : [];
}
