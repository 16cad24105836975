import fc from "fast-check";
import type { TSchema } from "typebox";
import { stillGif } from "../gifs.ts";
import { NASTY_TEXT, nearlyFitting, type Pools } from "./arbitrary.ts";
import { mutatedGifs } from "./gif-mutations.ts";

export const FORM_TYPE = "multipart/form-data; boundary=fuzz";

/**
 * Generates forms with a GIF, or almost one, in the part `file`, and texts that almost match the schema; rarely
 * something else.
 */
export function forms(texts: TSchema, file: string, pools: Pools): fc.Arbitrary<Uint8Array<ArrayBuffer>> {
  const good = fc.nat({ max: 1_000 }).map((mark) => stillGif(2, 2, `${mark}`));
  const fileName = fc.constantFrom("a.gif", "", "../x.gif", ...NASTY_TEXT.filter((text) => !/[\r\n"]/.test(text)));
  const whole = fc
    .tuple(fc.oneof(good, mutatedGifs()), fileName, nearlyFitting(texts, pools))
    .map(([gif, name, fields]) => {
      const parts = Object.entries(fields as object).map(([field, value]) => partOf(`name="${field}"`, `${value}`));
      return Buffer.concat([partOf(`name="${file}"; filename="${name}"`, gif), ...parts, Buffer.from("--fuzz--\r\n")]);
    });
  const other = fc.oneof(
    fc.constantFrom("", "{}", "--fuzz--", "--fuzz\r\n\r\n--fuzz--"),
    fc.string({ unit: "binary" }),
  );
  return fc
    .oneof({ weight: 9, arbitrary: whole }, { weight: 1, arbitrary: other.map((text) => Buffer.from(text)) })
    .map((bytes) => Uint8Array.from(bytes));
}

function partOf(parameters: string, content: string | Uint8Array): Buffer {
  const head = Buffer.from(`--fuzz\r\nContent-Disposition: form-data; ${parameters}\r\n\r\n`);
  return Buffer.concat([head, Buffer.from(content as Uint8Array), Buffer.from("\r\n")]);
}
