// Reads both documents with swagger-parser and @asyncapi/parser: node lint.mjs <openapi.json> <asyncapi.json>.
// Prints {problems}: every error and warning.
import { readFile } from "node:fs/promises";
import SwaggerParser from "@apidevtools/swagger-parser";
import { Parser } from "@asyncapi/parser";

const [openapi, asyncapi] = process.argv.slice(2);
const problems = [];
try {
  await SwaggerParser.validate(JSON.parse(await readFile(openapi, "utf8")));
} catch (error) {
  problems.push(`swagger-parser: ${error.message}`);
}
const { document, diagnostics } = await new Parser().parse(await readFile(asyncapi, "utf8"));
if (document === undefined) problems.push("asyncapi: no document");
problems.push(...diagnostics.map(({ code, message, path }) => `asyncapi: ${code} ${message} at ${path.join("/")}`));
console.log(JSON.stringify({ problems }));
