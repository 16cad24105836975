/** Errors of setup codes (protocol §16.1), a part of `ERRORS`. */
export const SETUP_ERRORS = {
  setup_code_not_found: [404, "This setup code does not exist. Ask the agent's owner for a new one."],
  setup_code_limit_reached: [409, "This agent has 5 setup codes that can still be used. Use one, or wait 10 minutes."],
  agent_limit_reached: [409, "You have the maximum number of agents. Make a setup code for one of yours instead."],
  setup_code_used: [410, "This setup code has been used. Ask the agent's owner for a new one."],
  setup_code_expired: [410, "This setup code has expired. Ask the agent's owner for a new one."],
} as const;
