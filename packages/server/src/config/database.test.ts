import { describe, expect, test } from "bun:test";
import { problemsOf, temporaryFolder } from "../../test/support/config.ts";
import { postgresAddress } from "./database.ts";

describe("a DATABASE_URL for PostgreSQL", () => {
  test.each([
    ["postgres://ann:p%40ss@db:6543/chat", { host: "db", port: 6543, user: "ann", password: "p@ss", database: "chat" }],
    ["postgresql://db/chat", { host: "db", port: 5432, user: undefined, password: undefined, database: "chat" }],
    ["postgres://[::1]/chat", { host: "::1" }],
    ["postgres://ann@%2Frun%2Fpg/chat", { host: "/run/pg" }],
    ["postgres:///chat?host=/run/pg&user=ann", { host: "/run/pg", user: "ann", database: "chat" }],
    // The parameter takes precedence, as in PostgreSQL's tools, so it is the one to check.
    ["postgres://127.0.0.1/chat?host=db.example.org", { host: "db.example.org" }],
    ["postgres://db/chat?sslmode=verify-full&sslmode=disable", { tlsMode: "disable" }],
    [
      "postgres://db/chat?options=-c%20search_path%3Dchat%20-c%20work_mem%3D8MB",
      { schema: "chat", options: "-c work_mem=8MB" },
    ],
    ["postgres://db/chat?options=--search_path%3Dchat", { schema: "chat", options: "" }],
    ["postgres://db/chat", { schema: null, tlsMode: undefined, applicationName: "parley" }],
  ])("%s is split into its parts", (url, parts) => {
    expect(postgresAddress(url)).toMatchObject(parts);
  });

  test.each([
    ["postgres://db/chat?ssl_mode=verify-full", /has the parameter "ssl_mode", which Parley does not know/],
    ["postgres://db/chat?ssl=true", /has the parameter "ssl"/],
    ["postgres://db/chat?sslmode=full", /must have one of .*verify-full.* as sslmode/],
    ["postgres://db:0/chat", /port/],
    ["postgres://ann:100%@db/chat", /%25/],
    ["postgres://db/chat?options=-c%20search_path%3Da,public", /one schema/],
    ['postgres://db/chat?options=-c%20search_path%3D"$user"', /one schema/],
    ["postgres://db/chat?options=-c%20search_path%3Dpg_catalog", /one schema/],
  ])("%s is refused", (DATABASE_URL, problem) => {
    expect(problemsOf({ DATABASE_URL })).toEqual([expect.stringMatching(problem)]);
    expect(problemsOf({ DATABASE_URL })[0]).toStartWith("DATABASE_URL ");
  });
});

describe("in production, a PostgreSQL URL", () => {
  const problems = (DATABASE_URL: string, more: Record<string, string> = {}) =>
    problemsOf({
      PARLEY_PROFILE: "production",
      PARLEY_PUBLIC_URL: "https://chat.example.org",
      PARLEY_TRUSTED_PROXIES: "127.0.0.1",
      PARLEY_DATA_DIR: temporaryFolder(),
      DATABASE_URL,
      ...more,
    }).filter((problem) => problem.startsWith("DATABASE_URL"));

  test.each([
    "postgres://db.example.org/chat",
    "postgres://10.0.0.7/chat?sslmode=disable",
    "postgres://10.0.0.7/chat?sslmode=prefer",
    "postgres://10.0.0.7/chat?sslmode=require",
    "postgres://10.0.0.7/chat?sslmode=verify-ca",
    "postgres://10.0.0.7/chat?sslmode=no-verify",
    "postgres://10.0.0.7/chat?sslmode=verify-full&sslmode=disable",
    "postgres://127.0.0.1/chat?host=db.example.org",
    "postgres://127.0.0.1.example.org/chat",
    "postgres://[fd00::1]/chat",
  ])("%s is refused unless plaintext is accepted", (url) => {
    expect(problems(url)).toEqual([expect.stringContaining("sslmode=verify-full")]);
    expect(problems(url, { PARLEY_DATABASE_PLAINTEXT: "true" })).toEqual([]);
  });

  test.each([
    "postgres://db.example.org/chat?sslmode=verify-full",
    "postgres://localhost/chat",
    "postgres://127.3.2.1/chat",
    "postgres://[::1]/chat",
    "postgres:///chat",
    "postgres://%2Frun%2Fpostgresql/chat",
    "postgres:///chat?host=/run/postgresql",
    "sqlite:chat.sqlite",
  ])("%s is accepted", (url) => {
    expect(problems(url)).toEqual([]);
  });
});
