/** Limits of cards (protocol §12.6): bytes of JSON, characters, counts, seconds. */
export const CARD_BYTES = 8 * 1024;
export const CARD_ROWS = 5;
export const CARD_ELEMENTS = 5;
export const CARD_LABEL_MAX = 75;
export const CARD_VALUE_MAX = 500;
export const CARD_TEXT_MAX = 300;
export const CARD_USERS_MAX = 20;
export const CARD_SECONDS_MIN = 60;
export const CARD_SECONDS_MAX = 604_800;
export const CARD_SECONDS_DEFAULT = 86_400;
export const QUORUM_MAX = 10;
/** Presses of an open card that its record shows. */
export const CARD_VOTES_SHOWN = 20;
/** Limits of what a bot shows for machines (protocol §15.6): bytes of JSON, buttons, buttons in a row, characters. */
export const MARKUP_BYTES = 32 * 1024;
export const MARKUP_BUTTONS = 100;
export const MENU_ROW_BUTTONS = 8;
export const KEYBOARD_ROW_BUTTONS = 12;
export const MARKUP_TEXT_MAX = 256;
/** The longest text that a bot answers to the person who pressed a button. */
export const ANSWER_MAX = 200;
