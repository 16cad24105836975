import { join } from "node:path";
import { findPython } from "../support/python.ts";
import { inProgram } from "../support/telegram-client.ts";
import { testKills } from "../support/telegram-kills.ts";

const program = join(import.meta.dir, "../support/telegram-clients/ptb.py");

/** Protocol §15.3 with python-telegram-bot of Debian, unmodified. */
testKills("python-telegram-bot", inProgram([findPython("telegram"), "-W", "ignore", program]));
