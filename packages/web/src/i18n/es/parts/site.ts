import type { EN_SITE } from "../../en/parts/site.ts";
import type { PartialTexts } from "../../texts.ts";

/** Spanish texts of the settings of the site. */
export const ES_SITE: PartialTexts<typeof EN_SITE> = {
  name: "Nombre del sitio",
  registration: "Quién puede registrarse",
  policies: { open: "Cualquiera", invite: "Personas con una invitación", closed: "Nadie" },
  locked: (variable) => `Lo determina ${variable} en el entorno del servidor.`,
  save: "Guardar",
  saved: "Los ajustes se han guardado.",
  logo: "Logotipo",
  logoHint: "Una imagen de al menos 192 × 192 píxeles. Las páginas abiertas lo mostrarán cuando se recarguen.",
  chooseLogo: "Elegir un logotipo",
  removeLogo: "Quitar el logotipo",
  notAPicture: "Este archivo no es una imagen que el navegador pueda leer.",
};
