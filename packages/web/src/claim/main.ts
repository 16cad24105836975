import { CLAIM_WORDS } from "../i18n/claim-texts.ts";
import { chosenLanguage, chosenTheme } from "../state/stored-preferences.ts";
import { ClaimPage } from "./claim-page.ts";
import { reword, showChosen } from "./dom.ts";

const language = chosenLanguage();
showChosen(chosenTheme(), language);
const words = CLAIM_WORDS[language];
reword(words.page);
new ClaimPage(location.origin, words).start();
