import { SourceError } from "../source.ts";

/** `what`: the number and the things, such as `50,000 channels`. */
export const tooMany = (path: string, what: string): SourceError =>
  new SourceError(`${path} has more than ${what}. Parley cannot import so many.`);

export const PEOPLE = "200,000 people and bots";
export const CHANNELS = "50,000 channels";
