import { grammy } from "../support/telegram-clients/grammy.ts";
import { testKills } from "../support/telegram-kills.ts";

/** Protocol §15.3 with a client that keeps its offset in memory. */
testKills("grammY", grammy);
