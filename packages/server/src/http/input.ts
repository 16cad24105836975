import type { TObject } from "typebox";
import { FieldReader, Validator } from "./body/validate.ts";
import type { Route } from "./route.ts";

/** The readers of a route's input. The handler of a streamed upload checks its body itself. */
export interface InputReaders {
  readonly params: FieldReader | undefined;
  readonly query: FieldReader | undefined;
  readonly body: Validator | undefined;
}

/** Prepares the readers of a route's input, by its schemas and codes. */
export function inputReaders({ params, query, body, readOnly, upload, invalid = {} }: Route): InputReaders {
  return {
    params: params && new FieldReader(params as TObject, invalid, "invalid_id"),
    query: query && new FieldReader(query as TObject, { limit: "invalid_limit", ...invalid }, "invalid_request"),
    body: upload?.isStreamed === true ? undefined : body && new Validator(body, invalid, "invalid_request", readOnly),
  };
}
