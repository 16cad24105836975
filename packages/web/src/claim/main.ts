import { CLAIM_TEXTS } from "../i18n/claim-texts.ts";
import { storedLanguage, storedTheme } from "../state/stored-preferences.ts";
import { ClaimPage } from "./claim-page.ts";
import { applyPreferences, translatePage } from "./dom.ts";

const language = storedLanguage();
applyPreferences(storedTheme(), language);
const words = CLAIM_TEXTS[language];
translatePage(words.page);
new ClaimPage(location.origin, words).start();
