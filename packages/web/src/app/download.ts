import { Told } from "./told.ts";

/** What an export ends with that was not cut off (protocol §0). */
const END = '"complete":true}';

/** Lets the browser keep an export as a file. @throws Told with `cutOff` when it broke off on its way */
export async function keepExport(stream: ReadableStream<Uint8Array>, name: string, cutOff: string): Promise<void> {
  const copy = await new Response(stream).blob();
  const end = await copy.slice(-END.length - 8).text();
  if (!end.trimEnd().endsWith(END)) throw new Told(cutOff);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(copy);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
