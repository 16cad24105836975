import type { EN_SEARCH } from "../../en/parts/search.ts";
import type { PartialTexts } from "../../texts.ts";

/** Spanish texts of the search's filters. */
export const ES_SEARCH: PartialTexts<typeof EN_SEARCH> = {
  searchHint: 'Palabras o "una frase"',
  searchHere: "Solo en este canal",
  noResults: "Sin resultados.",
  filters: "Filtros",
  from: "De",
  in: "En",
  after: "Después de",
  before: "Antes de",
  anywhere: "Cualquier canal",
  has: "Contiene",
  is: "Tipo",
  any: "Cualquier cosa",
  facts: {
    has: { file: "Un archivo", image: "Una imagen", link: "Un enlace", card: "Una tarjeta", reaction: "Una reacción" },
    is: { pinned: "Fijado", thread: "En un hilo", edited: "Editado", mine: "Mío" },
  },
  filterHint: 'O escríbelos: from:ada in:general after:2026-11-01 has:file is:pinned "palabras exactas"',
  removeFilter: (filter) => `Quitar el filtro ${filter}`,
  searchAll: "Buscar en todos los canales",
  noWords: "Escribe una palabra o un nombre para buscar, o qué buscar en un canal.",
  unknownOperator: (name) =>
    `«${name}:» no es un filtro, así que se busca como texto. Los filtros son from:, in:, has:, is:, after:, before: y on:.`,
  wrongFact: (filter) =>
    `${filter} no es un filtro. Hay has:file, image, link, card y reaction, e is:pinned, thread, edited y mine.`,
  wrongDate: (filter) => `${filter} necesita una fecha como 2026-11-01.`,
};
