import type { Migration } from "./migration.ts";

/** The purpose of a verification code (claims.ts). Codes issued earlier are for claims. */
export const codePurposes: Migration = {
  name: "0022-code-purposes",
  async up({ columns: c, run }) {
    await run([
      `alter table verification_codes add column purpose ${c.text} not null default 'claim'
        check (purpose in ('claim', 'recover'))`,
      `alter table verification_codes add column agent_id ${c.integer} references agents (id)
        check ((purpose = 'recover') = (agent_id is not null))`,
      `alter table verification_codes add column agent_name ${c.text} check (agent_name is null or agent_id is not null)`,
    ]);
  },
};
