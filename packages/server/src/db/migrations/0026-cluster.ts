import type { Migration } from "./migration.ts";

/** The tables that the nodes of a cluster share (tables/cluster.ts). A lone server leaves them empty. */
export const cluster: Migration = {
  name: "0026-cluster",
  async up({ columns: c, run }) {
    await run([
      `create table nodes (
        id ${c.text} primary key,
        name ${c.text} not null,
        version ${c.text} not null,
        schema_number ${c.integer} not null,
        shards ${c.text} not null,
        ${c.oneOf("state", ["ready", "draining"])},
        seen_at ${c.time} not null
      ) ${c.table}`,
      `create table leases (
        name ${c.text} primary key,
        holder ${c.text} not null,
        fence ${c.integer} not null,
        until ${c.time} not null
      ) ${c.table}`,
      `create table rate_limits (
        key ${c.text} primary key,
        full_at ${c.time} not null
      ) ${c.table}`,
      "create index rate_limits_by_full_at on rate_limits (full_at)",
      `create table login_failures (
        id ${c.id},
        key ${c.text} not null,
        failed_at ${c.time} not null
      ) ${c.table}`,
      "create index login_failures_by_key on login_failures (key, failed_at)",
      "create index login_failures_by_age on login_failures (failed_at)",
      `create table web_files (
        path ${c.text} primary key,
        type ${c.text} not null,
        bytes ${c.blob} not null,
        stored_at ${c.time} not null
      ) ${c.table}`,
    ]);
  },
};
