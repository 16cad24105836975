import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Answered } from "../servers/test-server.ts";

/** A record of an export, into which a test looks as into the body of an answer. */
export type Json = Answered["body"];

/** Returns the lines of an export for Mattermost. */
export const linesOf = (path: string): Json[] =>
  readFileSync(join(path, "import.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

/** Returns the records of one kind. */
export const recordsOf = (path: string, type: string): Json[] =>
  linesOf(path).flatMap((line) => (line.type === type ? [line[type]] : []));

/** Returns a list of an export in Slack's form. */
export const listOf = (path: string, name: string): Json[] => JSON.parse(readFileSync(join(path, name), "utf8"));

/** Returns the messages of a channel of an export in Slack's form, in the order of its files. */
export const messagesOf = (path: string, folder: string): Json[] =>
  readdirSync(join(path, folder))
    .sort()
    .flatMap((name) => listOf(path, `${folder}/${name}`));
