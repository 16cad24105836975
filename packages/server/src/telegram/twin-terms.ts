import type { Route } from "../http/route.ts";

type Terms = Pick<
  Route,
  | "method"
  | "path"
  | "summary"
  | "tag"
  | "scope"
  | "rates"
  | "documentedActs"
  | "errors"
  | "answers"
  | "invalid"
  | "status"
>;

/** Returns what a route of the door takes from its twin in REST: where it is, and on which terms it admits its callers. */
export function termsOf(twin: Route): Terms {
  const { method, path, summary, tag, scope, rates, documentedActs, errors, answers, invalid, status } = twin;
  return {
    ...{ method, path, summary, tag, documentedActs, errors, answers },
    ...(scope === undefined ? {} : { scope }),
    ...(rates === undefined ? {} : { rates }),
    ...(invalid === undefined ? {} : { invalid }),
    ...(status === undefined ? {} : { status }),
  };
}
