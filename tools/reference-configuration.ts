import type { Variable } from "../packages/server/src/config/parse.ts";
import { PRODUCTION_RULES } from "../packages/server/src/config/production.ts";
import { VARIABLES } from "../packages/server/src/config/variables.ts";

/** Renders the page of all settings, from the table the server itself reads. */
export function configurationPage(): string {
  const variables = Object.values<Variable<unknown>>(VARIABLES);
  const secrets = variables.filter(({ secret }) => secret === true).map(({ name }) => `\`${name}\``);
  return `<!-- Generated from packages/server/src/config/variables.ts by \`npm run format\`. Do not edit. -->
# Configuration

All settings are environment variables, and all are optional in development. They are checked together at the start; every problem is told
at once, and an unknown \`PARLEY_*\` name is refused, except \`PARLEY_KEY\` and \`PARLEY_URL\`, which guides for agents use. An empty value counts as not set.

| Variable | Default | Meaning |
|---|---|---|
${variables.map((variable) => `| \`${variable.name}\` | ${defaultText(variable)} | ${variable.meaning.replaceAll("|", "\\|")} |`).join("\n")}

Secrets (${secrets.join(", ")}) may be given as \`<name>_FILE\` instead: the path of a file that holds the value.

## What production refuses

With \`PARLEY_PROFILE=production\` the server does not start with any of these. \`parley doctor --production\` lists
all that apply to the present settings, whatever their profile is.

${PRODUCTION_RULES.map(({ refuses }) => `- ${refuses}`).join("\n")}
`;
}

function defaultText({ byDefault }: Variable<unknown>): string {
  if (byDefault === null || byDefault === "") return "none";
  if (typeof byDefault === "string") return `\`${byDefault}\``;
  return Object.entries(byDefault)
    .map(([profile, text]) => `\`${text}\` in ${profile}`)
    .join(", ");
}
